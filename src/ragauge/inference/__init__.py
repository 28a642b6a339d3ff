"""Statistics of statistics: replicates, intervals and tests that know no metric by name."""
