"""RAG metrics that compare meanings or wordings of texts, without a language model."""
