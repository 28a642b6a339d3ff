"""The parts of a small RAG system: chunking, embedding, index, re-ranking, generation; see `rag_pipeline.py`."""
