"""Turning similarities into degrees: is this passage relevant, is this sentence supported?

By default a similarity and a threshold decide, see `ragauge.support.scorer`. What decides in their place is one file
each, registered under its name on the command line.
"""
