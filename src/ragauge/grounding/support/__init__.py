"""Whether evidence supports a claim, and how much: scores, degrees and thresholds.

By default a similarity and a threshold decide, see `ragauge.grounding.support.scorer`.
Each support model that can replace them is one file, registered under its name on the command line.
"""
