"""Generated text against reference text, by what they share."""
