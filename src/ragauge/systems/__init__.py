"""Asking a RAG system its questions, and keeping what it answers."""
