"""What a new metric or ingredient wants beside its own file."""
