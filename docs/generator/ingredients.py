"""The pages of tokenizers, matchers, embedders, support scorers, judges, models of relevance and writers."""

from __future__ import annotations

from docs.generator.docstrings import docstring_of
from docs.generator.tables import NOTE, option_table, paragraphs, preset_table
from ragauge.core.registry import Entry, entries

KINDS = {
    "tokenizer": "A tokenizer cuts text into the tokens that a metric compares: `bleu:tokenizer=zh`. "
    "[Text in many languages](../languages.md#which-tokenizer) says which to take; "
    "`ragauge tokenize` shows what one does.",
    "matcher": "A matcher says which retrieved passage matches which reference passage, where there are texts and no"
    " ids: `recall@5:matcher=overlap[threshold=0.7]`.",
    "embedder": "An embedder makes the vectors that RAG metrics compare: `groundedness:embedder=st[model=...]`. "
    "`--embedder use` sets one for all metrics that name none, and `--embedder models/e5`, a folder with a model of "
    "sentence-transformers, means `st[model=models/e5]`; `--embedding-cache DIR` keeps vectors from run to run.",
    "support": "A support scorer decides which passage supports which sentence, in place of similarity and threshold:"
    " `groundedness:support=matched[matcher=overlap]`.",
    "judge": "A judge is an LLM that metrics ask: `judged-faithfulness:judge=chat[url=...,model=...]`. `--judge URL"
    " --judge-model NAME` sets one for all metrics that name none. [Ask a judge](../judge.md) says what is promised.",
    "relevance": "A relevance model gives the probability that a passage is relevant to the question:"
    " `context-relevancy:relevance=reranker[model=...]`. `--relevance NAME` sets one for all metrics that name none.",
    "writer": "A writer writes a finished run to a target: `ragauge export RUN --to mlflow[experiment=rag]`."
    " [Where teams look](../export.md) says what each target gets.",
}
# Kind -> name of its page; "support" and "relevance" have no plural.
PAGES = {kind: kind if kind in ("support", "relevance") else f"{kind}s" for kind in KINDS}


def page(kind: str) -> str:
    """Write the page of one kind of ingredient, a section each."""
    found = [entry for entry in entries(kind).values() if entry.cls.__module__.startswith("ragauge.")]
    parts = [part for entry in found for part in _ingredient(entry)]
    return paragraphs([NOTE.format(source="docstrings"), f"# {PAGES[kind].capitalize()}", KINDS[kind], *parts])


def _ingredient(entry: Entry) -> list[str]:
    said = docstring_of(entry.cls)
    labelled = [f"{label}: {text}" for label, text in said.labelled.items()]
    return [
        f"## {entry.name}",
        said.summary,
        *said.prose,
        *labelled,
        option_table(entry.cls),
        preset_table(entry.compat),
    ]
