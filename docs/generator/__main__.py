"""``python -m docs.generator``: write every generated page of ``docs/``; with ``--check``, only name those to write."""

from __future__ import annotations

import sys

from docs.generator.writing import generated, stale, write
from ragauge.errors import RagaugeError

check = sys.argv[1:] == ["--check"]
try:
    for page in stale(generated()) if check else write(generated()):
        sys.stdout.write(f"docs/{page}\n" if check else f"wrote docs/{page}\n")
except RagaugeError as error:
    sys.exit(str(error))
