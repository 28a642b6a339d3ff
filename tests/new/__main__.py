"""``python -m tests.new``: write the lists of what is registered."""

from __future__ import annotations

import sys

from tests.new.lists import write_lists

for path in write_lists():
    sys.stdout.write(f"wrote {path}\n")
