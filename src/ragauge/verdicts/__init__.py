"""Turning similarities into verdicts: is this passage relevant, is this sentence supported?"""
