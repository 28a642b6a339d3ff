"""The page that lists the metrics."""

from __future__ import annotations

from docs.generator.docstrings import docstring_of
from docs.generator.tables import NOTE, paragraphs, section, table
from ragauge.core.registry import Entry, entries

# By the package that a metric lives in.
_GROUPS = {
    "retrieval": ("Retrieval", "What was retrieved, against judged documents or reference passages."),
    "text": ("Generated text", "The wording of an answer, against references."),
    "rag": ("RAG, without an LLM", "What supports what: question, passages, answer and references."),
    "judged": ("RAG, with an LLM as judge", "The same questions, put to a language model of your choice."),
    "column": ("Any column", "What the system itself reports, or what people said."),
}


def entries_with_a_page() -> list[Entry]:
    """Return one entry per metric of this package; other names for it are on its page."""
    return [
        entry
        for entry in entries("metric").values()
        if not entry.alias_of and not entry.fixed and entry.cls.__module__.startswith("ragauge.metrics.")
    ]


def page() -> str:
    """Write the list, by group, and where other names lead."""
    groups = [section(title, said, _group(name)) for name, (title, said) in _GROUPS.items()]
    intro = (
        "Each metric has a page with its formula, what it equals, a worked example, and when not to"
        " use it. `ragauge metrics NAME` prints its definition and options in a terminal. Not sure which? See"
        " [is my retriever good](../choose/retriever.md), [are the answers right](../choose/answers.md),"
        " [does it hallucinate](../choose/hallucination.md), [text in many languages]"
        "(../languages.md) and [how far to trust the RAG metrics](../trust.md)."
    )
    note = NOTE.format(source="the registry and docstrings")
    return paragraphs([note, "# Metrics", intro, *groups, section("Other names", _other_names())])


def _group(name: str) -> str:
    found = [entry for entry in entries_with_a_page() if entry.cls.__module__.split(".")[2] == name]
    rows = [(f"[`{_title(entry)}`]({entry.name}.md)", docstring_of(entry.cls).summary) for entry in found]
    return table(("metric", "what it is"), rows)


def _title(entry: Entry) -> str:
    return f"{entry.name}[@{entry.at}]" if entry.at else entry.name


def _other_names() -> str:
    pages = {entry.cls: entry.name for entry in entries_with_a_page()}
    rows = []
    for name, entry in entries("metric").items():
        if (entry.alias_of or entry.fixed) and entry.cls in pages:
            target = pages[entry.cls]
            options = ", ".join(f"`{key}={text}`" for key, text in entry.fixed.items())
            rows.append((f"`{name}`", f"[`{target}`]({target}.md)" + (f" with {options}" if options else "")))
    return table(("name", "is"), rows)
