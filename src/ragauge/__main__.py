"""``python -m ragauge`` is ``ragauge``."""

from ragauge.cli import main

if __name__ == "__main__":
    main()
