"""``python -m pages``: write every generated page of ``docs/``."""

from __future__ import annotations

import sys

from pages.writing import generated, write

for page in write(generated()):
    sys.stdout.write(f"wrote docs/{page}\n")
