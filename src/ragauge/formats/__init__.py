"""Reading: whatever people keep their samples in becomes Arrow batches with known columns."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ragauge.core.lazy import lazy_names

if TYPE_CHECKING:
    from ragauge.formats.file_formats import register_format
    from ragauge.formats.proposals import peek
    from ragauge.formats.reading import read
    from ragauge.formats.retrieval import read_retrieval

__all__ = ["peek", "read", "read_retrieval", "register_format"]
_HOMES = {
    "ragauge.formats.file_formats": "register_format",
    "ragauge.formats.proposals": "peek",
    "ragauge.formats.reading": "read",
    "ragauge.formats.retrieval": "read_retrieval",
}
__getattr__ = lazy_names(__name__, _HOMES)
