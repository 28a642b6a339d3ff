"""The page that lists the metrics."""

from __future__ import annotations

from collections.abc import Callable

from docs.generator.docstrings import docstring_of
from docs.generator.language import chinese
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
_GROUPS_IN_CHINESE = {
    "retrieval": ("检索", "检索到了什么，对照标注过的文档或参考段落。"),
    "text": ("生成的文本", "回答的用词，对照参考答案。"),
    "rag": ("RAG，不用大模型", "谁支持谁：问题、段落、回答和参考答案。"),
    "judged": ("RAG，用大模型评判 { #judged }", "同样的问题，交给你选的大模型。"),
    "column": ("任意一列", "系统自己报告的，或者人说的。"),
}


def entries_with_a_page() -> list[Entry]:
    """Return one entry per metric of this package; other names for it are on its page.

    Functions that were made metrics, as in tests, are not of this package, though their class is.
    """
    ours = [entry for entry in entries("metric").values() if entry.cls.__module__.startswith("ragauge.metrics.")]
    return [entry for entry in ours if entry.instance is None and not entry.alias_of and not entry.fixed]


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


def page_in_chinese() -> str:
    """Write the list in Chinese."""
    groups = [
        section(title, said, _group(name, ("指标", "是什么"), chinese().say))
        for name, (title, said) in _GROUPS_IN_CHINESE.items()
    ]
    intro = (
        "每个指标有自己的页面：公式、和哪个实现一致、算例、什么时候不该用。"
        "`ragauge metrics NAME` 在终端里打印定义和选项。不知道选哪个？见[检索好不好](../choose/retriever.md)、"
        "[答得对不对](../choose/answers.md)、[有没有编造](../choose/hallucination.md)、[多语言文本](../languages.md)和"
        "[得分有多可信](../trust.md)。"
    )
    note = NOTE.format(source="the registry and help-zh.json")
    other_names = section("别名", _other_names(("名字", "就是"), "加"))
    return paragraphs([note, "# 指标一览", intro, *groups, other_names])


def _group(
    name: str,
    head: tuple[str, str] = ("metric", "what it is"),
    say: Callable[[str], str] = str,
) -> str:
    group = [entry for entry in entries_with_a_page() if entry.cls.__module__.split(".")[2] == name]
    rows = [(f"[`{_title(entry)}`]({entry.name}.md)", say(docstring_of(entry.cls).summary)) for entry in group]
    return table(head, rows)


def _title(entry: Entry) -> str:
    return f"{entry.name}[@{entry.at}]" if entry.at else entry.name


def _other_names(head: tuple[str, str] = ("name", "is"), plus: str = "with") -> str:
    pages = {entry.cls: entry.name for entry in entries_with_a_page()}
    rows = []
    for name, entry in entries("metric").items():
        if (entry.alias_of or entry.fixed) and entry.cls in pages:
            target = pages[entry.cls]
            options = ", ".join(f"`{key}={text}`" for key, text in entry.fixed.items())
            rows.append((f"`{name}`", f"[`{target}`]({target}.md)" + (f" {plus} {options}" if options else "")))
    return table(head, rows)
