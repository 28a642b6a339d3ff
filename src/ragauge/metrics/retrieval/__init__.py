"""Rankings against judged documents, or against reference passages."""
