"""The command line: reads options, calls the library, renders what it returns."""

from ragauge.cli.main import main

__all__ = ["main"]
