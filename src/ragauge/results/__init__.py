"""What an evaluation found: scores, the result that holds them, and the run on disk."""
