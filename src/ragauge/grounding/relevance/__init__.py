"""How probable it is that a passage is relevant to a question, without a reference.

By default the words of the question decide, see `ragauge.grounding.relevance.lexical`; an embedder's
cosine can be added. Each model is one file, registered under its name on the command line.
"""
