"""Which retrieved passages stand for which reference passages."""
