"""How results look in a notebook: tables with bars, in whatever colours the notebook has."""
