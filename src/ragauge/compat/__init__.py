"""Drop-ins: the calls of other libraries, answered by the metrics of ragauge."""
