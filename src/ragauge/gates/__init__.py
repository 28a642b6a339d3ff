"""Gates: whether a run may ship, by its scores and by its difference from a baseline."""
