"""Statistics of statistics: intervals and tests that know no metric by name."""
