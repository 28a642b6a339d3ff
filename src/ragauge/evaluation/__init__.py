"""Running metrics over data: from samples to a result."""
