"""Generated text against reference text, by what they share."""

from ragauge.metrics.text._references import ReferenceMetric

__all__ = ["ReferenceMetric"]
