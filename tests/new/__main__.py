"""``python -m tests.new``: write the lists of what is registered.

``python -m tests.new metric distinct-n`` also writes the stubs of a metric, and says what is missing; ``tokenizer``,
``reader`` and ``writer`` likewise. A third word is the folder: ``python -m tests.new metric gini metrics/retrieval``.
"""

from __future__ import annotations

import sys

from ragauge.errors import RagaugeError
from tests.new.lists import write_lists
from tests.new.stubs import files, missing, stale_pages, write_stubs


def main(words: list[str]) -> None:
    """Write what is absent, and say what is missing."""
    wanted = files(*words[:3]) if words else {}
    written = [*(write_stubs(wanted) if wanted else ()), *map(str, write_lists())]
    for path in written:
        say(f"wrote {path}")
    if words:
        open_points = [*missing(words[0], words[1], wanted), *stale_pages()]
        say("\n".join(["still wanted:", *[f"  {one}" for one in open_points]]) if open_points else "nothing is missing")


def say(text: str) -> None:
    sys.stdout.write(f"{text}\n")


if __name__ == "__main__":
    if len(sys.argv) == 2 or len(sys.argv) > 4:
        sys.exit("python -m tests.new [metric|tokenizer|reader|writer NAME [FOLDER]]")
    try:
        main(sys.argv[1:])
    except RagaugeError as error:
        sys.exit(str(error))
