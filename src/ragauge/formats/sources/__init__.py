"""What frameworks export that is not a row per sample: traces, runs and reports become rows."""
