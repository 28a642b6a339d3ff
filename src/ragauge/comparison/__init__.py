"""Comparing runs: which samples pair, whether the numbers may be compared, how sure the difference is."""
