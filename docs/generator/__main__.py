"""``python -m docs.generator``: write every generated page of ``docs/``."""

from __future__ import annotations

import sys

from docs.generator.writing import generated, write

for page in write(generated()):
    sys.stdout.write(f"wrote docs/{page}\n")
