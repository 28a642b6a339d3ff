"""What is noted of texts that are longer than a model reads at once."""

from __future__ import annotations

WINDOWS = "texts read in windows"
"""They were read to their ends, piece by piece."""

CUT = "claims cut"
"""They leave no room beside them, and their ends were not read."""
