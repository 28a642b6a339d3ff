"""Reading: whatever people keep their samples in becomes Arrow batches with known columns."""

from ragauge.formats.file_formats import register_format
from ragauge.formats.proposals import peek
from ragauge.formats.reading import read
from ragauge.formats.retrieval import read_retrieval

__all__ = ["peek", "read", "read_retrieval", "register_format"]
