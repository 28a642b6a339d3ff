"""Reading: whatever people keep their samples in becomes Arrow batches with known columns."""

from ragauge.formats.read import read

__all__ = ["read"]
