"""Metrics that ask a judge, which is an LLM."""
