"""Metrics, by what they compare."""
