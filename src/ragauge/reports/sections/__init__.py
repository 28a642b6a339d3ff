"""The parts of the page, each as what its template shows."""
