"""A docstring taken apart: summary, formula, labelled sentences, arguments."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from inspect import cleandoc

_LABELS = r"Unit and range|Passages|``undefined``|``failed``|Parts|Part ``\w+``|Not for|Source|Deviations?(?: [^:.]+)?"
_SECTION = re.compile(r"(Formula|Args|Raises|Returns):\n")
_LABEL = re.compile(rf"(?:^|(?<=\. )|(?<=\.\) ))({_LABELS}): ")


@dataclass(frozen=True)
class Docstring:
    """What a docstring of the project's form says."""

    summary: str
    formula: str
    """Lines of plain text, or nothing."""
    prose: tuple[str, ...]
    """Paragraphs and lists without a label."""
    labelled: Mapping[str, str]
    """``Unit and range``, ``Source`` ... -> what is said there."""
    arguments: Mapping[str, str]


def docstring_of(cls: type) -> Docstring:
    """Take the docstring of ``cls`` apart, in Markdown; arguments of its bases are among its arguments."""
    summary, *paragraphs = _without_examples(cleandoc(cls.__doc__ or "")).split("\n\n")
    formula = next((_section(each) for each in paragraphs if each.startswith("Formula:\n")), "")
    plain = [each for each in paragraphs if each and not _SECTION.match(each)]
    prose, labelled = [], {}
    for paragraph in plain:
        for label, text in _labelled(paragraph):
            if label:
                labelled[label] = text
            else:
                prose.append(text)
    return Docstring(_markdown(_joined(summary)), formula, tuple(prose), labelled, arguments_of(cls))


def arguments_of(cls: type) -> dict[str, str]:
    """Return what ``cls`` and its bases say of each argument; the class itself has the last word."""
    found: dict[str, str] = {}
    for base in reversed(cls.__mro__[:-1]):
        found |= items(base.__doc__ or "", "Args")
    return found


def items(docstring: str, section: str) -> dict[str, str]:
    """Return the items under ``section`` (``Args``, ``Raises``) of a docstring, by name, in Markdown."""
    found = re.search(rf"(?:^|\n){section}:\n(.*?)(?:\n\n|$)", cleandoc(docstring), re.DOTALL)
    each = [item.strip().partition(": ") for item in re.split(r"\n(?=    [\w*])", found[1] if found else "")]
    return {name: _markdown(_joined(text)) for name, _, text in each if text}


def prose_of(docstring: str) -> list[str]:
    """Return the paragraphs of a docstring, in Markdown, but for its sections and its examples."""
    paragraphs = [each for each in _without_examples(docstring).split("\n\n") if each and not _SECTION.match(each)]
    return [_markdown(each if each.startswith("- ") else _joined(each)) for each in paragraphs]


def returned(docstring: str) -> str:
    """Return what a docstring says of the value that comes back; nothing if it has no section on that."""
    found = next((each for each in docstring.split("\n\n") if each.startswith("Returns:\n")), "")
    return _markdown(_joined(_section(found)))


def example_of(docstring: str) -> str:
    """Return the examples of a docstring."""
    return "\n\n".join(each for each in docstring.split("\n\n") if each.startswith(">>> "))


def _without_examples(text: str) -> str:
    return re.sub(r"(^|\n)>>> .*?(?=\n\n|$)", "", text, flags=re.DOTALL)


def _section(paragraph: str) -> str:
    return cleandoc("\n" + paragraph.partition("\n")[2])


def _labelled(paragraph: str) -> Iterator[tuple[str, str]]:
    if paragraph.startswith("- "):
        yield "", _markdown(paragraph)
        return
    before, *found = _LABEL.split(_joined(paragraph))
    if before.strip():
        yield "", _markdown(before.strip())
    for label, text in zip(found[::2], found[1::2], strict=True):
        yield label.replace("``", ""), _markdown(text.strip())


def _joined(text: str) -> str:
    return " ".join(text.split())


def _markdown(text: str) -> str:
    """Turn the marks of a docstring into those of Markdown."""
    return text.replace("``", "`")
