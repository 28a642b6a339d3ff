"""One self-contained HTML page of one or more runs."""
