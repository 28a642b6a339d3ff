"""Rankings against judged documents, or against reference passages."""

from ragauge.metrics.retrieval._ranked import Ranked

__all__ = ["Ranked"]
