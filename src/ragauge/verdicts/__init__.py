"""Turning similarities into verdicts: is this passage relevant, is this sentence supported?

By default a similarity and a threshold decide, see `ragauge.verdicts.judge`. What decides in their place is one file
each, registered under its name on the command line.
"""
