"""``python -m ragauge`` is ``ragauge``."""

from ragauge.cli import main

main()
