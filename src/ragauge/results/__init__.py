"""The results of an evaluation: scores, the result that holds them, and the run on disk."""
