"""Fuzzing: ``python -m tests.fuzz TARGET --seconds 60`` runs one target; pytest runs each over its corpus and briefly.

A target is a module of ``tests.fuzz.targets`` with ``target(data: bytes) -> None``, which raises on a defect only, and
``STRATEGY``, which makes bytes that have the structure of its input. A defect is an error that is no `RagaugeError`,
more than ten seconds a megabyte, more memory than 20 times the input and 300 MB, and the end of the process.
"""
