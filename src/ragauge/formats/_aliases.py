"""What other libraries and data sets call the columns that ragauge knows."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from ragauge.formats._headers import HEADERS, folded
from ragauge.sample import SCHEMA

# Read in the sources of ragas 0.0-0.4 (old and new), deepeval 4 (Python and camel case), TruLens 2 (ground truth
# tables), continuous-eval 0.3, RAGChecker 0.1, llama-index 0.14, phoenix-evals 3, mlflow 3, inspect_ai 0.3; Haystack's
# evaluators and FlashRAG's data sets; and bare names that people use. `context` is not here: see `fields`.
_NAMES: Mapping[str, str] = MappingProxyType(
    {
        "id": "_id qid query_id uid sample_id",
        "question": "user_input input inputs query questions",
        "answer": "response actual_output actualOutput output outputs prediction predicted_answer predicted_answers "
        "generated_answer hypothesis",
        "references": "reference reference_answer reference_answers ground_truth ground_truths ground_truth_answer "
        "ground_truth_answers gt_answer expected expected_output expectedOutput expected_response expected_answer "
        "target targets gold gold_answer gold_answers golden_answers",
        "contexts": "retrieved_contexts retrieved_context retrieval_context retrievalContext "
        "retrieved_context_chunks retrieved_texts retrieved_documents retrieved_passages",
        "reference_contexts": "ground_truth_context ground_truth_contexts ground_truth_documents expected_chunks "
        "expected_texts expected_retrieved_context gold_contexts",
        "retrieved": "retrieved_context_ids retrieved_ids retrieved_doc_ids",
        "retrieved_scores": "retrieved_context_scores retrieval_scores",
        "relevance": "reference_context_ids expected_ids relevant_ids relevant_docs relevant_doc_ids gold_ids",
        "language": "lang",
    }
)

ALIASES: Mapping[str, str] = MappingProxyType(
    {alias: known for known, names in _NAMES.items() for alias in names.split()}
)
"""Name elsewhere -> known column."""

RELEVANT_IDS = frozenset(_NAMES["relevance"].split())
"""Columns that list the ids of relevant documents, so that a number in them is an id and never a grade."""

DEEPEVAL_RETRIEVED = frozenset({"retrieval_context", "retrievalContext"})
"""Where one of these is, `context` is deepeval's: the passages that should have been retrieved."""

_NESTED: Mapping[str, frozenset[str]] = MappingProxyType(
    {
        "inputs": frozenset({"question"}),
        "outputs": frozenset({"answer", "contexts", "retrieved", "retrieved_scores"}),
        "expectations": frozenset({"references", "reference_contexts", "relevance"}),
    }
)
"""Which columns stand within which of mlflow's objects."""


def known_name(source: str) -> str | None:
    """Return the known column that ``source`` stands for, if any.

    >>> known_name("user_input"), known_name("Ground Truth"), known_name("用户问题"), known_name("topic")
    ('question', 'references', 'question', None)
    >>> known_name("inputs.question")
    'question'
    """
    group, dot, name = source.partition(".")
    if dot and group in _NESTED:
        known = "question" if source == "inputs.messages" else known_name(name)
        return known if known in _NESTED[group] else None
    if is_spelled(source):
        return source if source in SCHEMA else ALIASES[source]
    name = folded(source)
    return name if name in SCHEMA else ALIASES.get(name, HEADERS.get(name))


def is_spelled(source: str) -> bool:
    """Say whether ``source`` is a name as programs write it, not one that a person put above a column."""
    return source in SCHEMA or source in ALIASES
