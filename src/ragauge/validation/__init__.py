"""Validating metrics: how far they agree with people, and what people would say of all samples."""
