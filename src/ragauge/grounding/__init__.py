"""How far a text bears on another: support, relevance, and matches of retrieved and reference texts."""
