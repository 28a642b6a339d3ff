"""use.py is read by mypy and never imported: it would register its metrics for all tests."""

collect_ignore = ["use.py"]
