"""Where a value is in what a system returned: the names on the way to it, as in ``choices.0.message.content``."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from itertools import chain
from typing import Any, NamedTuple

from ragauge.errors import excerpt
from ragauge.formats.column_names import CONTEXT, folded, known_name
from ragauge.formats.objects import PASSAGE_TEXTS, TEXT_NAMES, as_mapping, is_convertible
from ragauge.systems.objects import BadOutputError, document_parts

OWN_NAMES: Mapping[str, frozenset[str]] = {
    "answer": frozenset({"result", "text", "reply", "content", "completion", "generated_text", "generation", "答案"}),
    "contexts": CONTEXT
    | {
        "documents", "docs", "source_documents", "source_nodes", "sources", "passages", "chunks", "search_results",
        "retrieved_docs",
        "文档", "文件", "段落", "检索到的文档", "文書",
        "문서", "документы", "фрагменты", "المستندات", "दस्तावेज़", "เอกสาร",
    },
}  # fmt: skip
"""Names that mean one thing in what a system returns, and could mean several in a file. Several of them mean none."""
_PASSAGES = OWN_NAMES["contexts"] | {
    "contexts", "retrieved_contexts", "retriever_resources", "citations", "references", "hits", "nodes", "matches",
    "quote_list",
}  # fmt: skip
"""Names of passages deeper in an output, where they hold objects with texts."""
_OF_A_LIST = {
    "answers": 0, "candidates": 0, "choices": 0, "content": 0, "generations": 0, "outputs": 0, "parts": 0,
    "generated_text": -1, "messages": -1, "output": -1,
}  # fmt: skip
"""Lists in which an answer is, and its place: it is the first of several candidates, and the last of the messages."""
_DEEPEST = 6
_FAILURES = {*range(400, 600), "error", "fail", "failed"}
"""HTTP's codes of failures, and words for them."""


class OutputPlace(NamedTuple):
    """A value within an output, the name that it has there, and the path to it."""

    path: str
    name: str
    value: Any


def nested_names(output: Mapping[str, Any], names: Mapping[str, str]) -> dict[str, str]:
    """Return known column -> its path: of an answer where none is on the first level, and of passages beside an answer.

    ``names``: known column -> its name on the first level. BadOutputError where several places could be the answer.

    >>> nested_names({"data": {"reply": "Tea.", "docs": [{"text": "Tea grows."}]}}, {})
    {'answer': 'data.reply', 'contexts': 'data.docs'}
    """
    found: dict[str, str] = {}
    if not names or _holds_objects(output.get(names.get("answer", ""))):
        answers = [place.path for place in shallowest(output, lambda place: is_answer(place.name, place.value))]
        if len(answers) > 1:
            raise BadOutputError(f"{' and '.join(answers)} could both be the answer; map it, as in answer={answers[0]}")
        found |= {"answer": answers[0]} if answers else {}
    if {"contexts", "retrieved"}.isdisjoint(names) and (found or "answer" in names):
        passages = [place.path for place in shallowest(output, _are_passages)]
        found |= {"contexts": passages[0]} if len(passages) == 1 else {}
    return found


def _holds_objects(value: Any) -> bool:
    """Return whether a value under the name of an answer has objects in it, and is no text of a document itself."""
    if isinstance(value, Mapping):
        return value.keys().isdisjoint(TEXT_NAMES)
    return isinstance(value, list) and any(isinstance(one, Mapping) for one in value)


def is_answer(name: str, value: Any) -> bool:
    """Return whether a value is a text under a name of answers.

    >>> is_answer("reply", "Tea."), is_answer("reply", ["Tea."]), is_answer("name", "Anna")
    (True, False, False)
    """
    return isinstance(value, str) and (known_name(name) == "answer" or folded(name) in OWN_NAMES["answer"])


def _are_passages(place: OutputPlace) -> bool:
    """Return whether a list has a text in each of its objects, and the name of what was retrieved.

    Texts themselves are passages under a name that has no other meaning: ``sources`` may be addresses.
    """
    if folded(place.name) not in _PASSAGES or not isinstance(place.value, list) or not place.value:
        return False
    if all(isinstance(one, str) for one in place.value):
        return known_name(place.name) == "contexts" or folded(place.name) in CONTEXT
    parts = [one if isinstance(one, Mapping) else document_parts(one) or {} for one in place.value]
    return all(any(isinstance(one.get(name), str) for name in PASSAGE_TEXTS) for one in parts)


def with_documents(names: dict[str, str], output: Mapping[str, Any], chosen: Collection[str]) -> dict[str, str]:
    """Return known column -> its name, with the only list of documents beside an answer as the passages.

    It comes in place of no passages, or of a text that joins them. Documents are objects of a framework, or have texts
    that all are within the joined one.

    Args:
        names: known column -> its name on the first level of ``output``.
        output: what a system returned.
        chosen: known columns and names that the user mapped.

    >>> reply = {"answer": "Tea.", "context": "Tea is hot.", "quellen": [{"text": "Tea is hot."}]}
    >>> with_documents({"answer": "answer", "contexts": "context"}, reply, ())
    {'answer': 'answer', 'contexts': 'quellen'}
    """
    joined = output.get(names.get("contexts", ""))
    if "contexts" in chosen or "answer" not in names or not (joined is None or isinstance(joined, str)):
        return names
    free = {None, "contexts", *({"retrieved"} - {*chosen} if names.get("retrieved") else ())}
    lists = [
        name
        for name, value in output.items()
        if known_name(name) in free and name not in chosen and _are_documents(value, joined or "")
    ]
    if len(lists) != 1:
        return names
    return {**{known: name for known, name in names.items() if name != lists[0]}, "contexts": lists[0]}


def _are_documents(value: Any, joined: str) -> bool:
    if not isinstance(value, list | tuple) or not value:
        return False
    are_objects = not any(isinstance(one, Mapping) for one in value)
    parts = [(one if isinstance(one, Mapping) else document_parts(one)) or {} for one in value]
    texts = [next((one[key] for key in PASSAGE_TEXTS if isinstance(one.get(key), str)), "") for one in parts]
    return all(texts) and (are_objects or all(text.strip() in joined for text in texts))


def value_at(output: Any, path: str) -> Any:
    """Return what is at ``path``; LookupError where nothing is. A name after a list is that of each of its items.

    Of an object it may be a public attribute too, as ``ref_doc_id`` of a node of LlamaIndex.

    >>> value_at({"choices": [{"text": "Tea."}]}, "choices.0.text")
    'Tea.'
    >>> value_at({"sources": [{"body": "Tea."}, {"body": "Milk."}]}, "sources.body")
    ['Tea.', 'Milk.']
    """
    if isinstance(output, Mapping) and path in output:
        return output[path]
    step, dot, rest = path.partition(".")
    if isinstance(output, list | tuple):
        if not step.removeprefix("-").isdecimal():
            found = [value_at(one, path) for one in output]
            return list(chain.from_iterable(one if isinstance(one, list) else [one] for one in found))
        value = output[int(step)]
    else:
        own = _fields(output)
        value = own[step] if step in own else _attribute(output, step)
    return value_at(value, rest) if dot else value


def _attribute(value: Any, name: str) -> Any:
    """Return a text or number that is an attribute of a framework's object; KeyError for anything else."""
    found = (
        getattr(value, name, None) if name.isidentifier() and name[0] != "_" and is_convertible(type(value)) else None
    )
    if isinstance(found, str | int | float):
        return found
    raise KeyError(name)


def is_at(output: Any, path: str) -> bool:
    """Return whether something is at ``path``."""
    try:
        value_at(output, path)
    except LookupError:
        return False
    return True


def check_mapped(mapping: Mapping[str, str], *outputs: Mapping[str, Any]) -> None:
    """Raise BadOutputError where no form of an output has a place that the user mapped.

    An output that has the known name itself needs no other place: settings are for several systems and files.
    """
    for known, path in mapping.items():
        if known == path or any(known in output or is_at(output, path) for output in outputs):
            continue
        steps = path.split(".")
        ends = [".".join(steps[:count]) for count in range(len(steps) - 1, 0, -1)]
        end = next((one for one in ends if is_at(outputs[0], one)), "")
        value = value_at(outputs[0], end) if end else outputs[0]
        items = value if isinstance(value, list | tuple) else [value]
        keys = ", ".join(dict.fromkeys(str(key) for one in items for key in _fields(one))) or "no keys"
        raise BadOutputError(
            f"the system returned nothing at {path}, to which {known} is mapped: {end or 'the output'} has {keys}"
        )


def key_hint(names: Mapping[str, str], known: Mapping[str, Any]) -> str:
    """Return how to map the texts of passages, where these are objects whose texts have no known name; else nothing.

    ``names``: known column -> its place. ``known``: the values there.
    """
    value = known.get("contexts")
    passages = [one for one in value if isinstance(one, Mapping)] if isinstance(value, list) else []
    if all(any(name in one for name in (*PASSAGE_TEXTS, "kwargs", "document", "node")) for one in passages):
        return ""
    key = longest_text(next((one for one in passages if longest_text(one)), {})) or "KEY"
    return f"; or map the key of the text: --map contexts={names['contexts']}.{key}"


def error_in(output: Mapping[str, Any]) -> str:
    """Return what an output says of a failure, as servers do that fail with status 200; nothing where it does not.

    >>> error_in({"error": {"message": "overloaded", "code": 5}, "answer": None}), error_in({"code": 500, "msg": "no"})
    ('overloaded', 'no')
    """
    said = output.get("error")
    if not said and has_failed(output):
        said = next((output[name] for name in ("message", "msg", "detail") if output.get(name)), None)
    said = said.get("message") or said if isinstance(said, Mapping) else said
    return excerpt(str(said)) if said else ""


def has_failed(output: Mapping[str, Any]) -> bool:
    """Return whether an output has a status of failure; it may have a text for people in place of the answer.

    >>> has_failed({"status": "error", "answer": "Try again."}), has_failed({"code": 200, "answer": "Tea."})
    (True, False)
    """
    codes = [output.get(name) for name in ("code", "status", "status_code")]
    return output.get("success") is False or any(one in _FAILURES for one in codes if isinstance(one, int | str))


def shallowest(output: Mapping[str, Any], fits: Callable[[OutputPlace], bool]) -> list[OutputPlace]:
    """Return the places that fit on the first level that has any; of lists, only the item of the answer is looked at.

    >>> [
    ...     place.path
    ...     for place in shallowest({"data": {"text": "a"}, "k": {"l": {"text": "b"}}}, lambda p: p.name == "text")
    ... ]
    ['data.text']
    """
    return next(filter(None, ([place for place in level if fits(place)] for level in _levels(output))), [])


def longest_text(output: Mapping[str, Any]) -> str:
    """Return the path of the longest text in an output, which is most often the answer; empty where it has no text.

    >>> longest_text({"status": "ok", "body": {"said": "Tea grows in Yunnan."}})
    'body.said'
    """
    places = [place for level in _levels(output) for place in level]
    firsts = [(place, place.value[0]) for place in places if isinstance(place.value, list) and place.value]
    places += [OutputPlace(f"{place.path}.0", place.name, value) for place, value in firsts]
    texts = [place for place in places if isinstance(place.value, str)]
    return max(texts, key=lambda place: len(place.value)).path if texts else ""


def _levels(output: Mapping[str, Any]) -> Iterator[list[OutputPlace]]:
    level = [OutputPlace("", "", output)]
    for _ in range(_DEEPEST):
        level = [
            OutputPlace(f"{above.path}.{name}".removeprefix("."), str(name), value)
            for above in map(_of_answer, level)
            for name, value in _fields(above.value).items()
        ]
        yield level


def _of_answer(place: OutputPlace) -> OutputPlace:
    """Return the item of a list that holds the answer; any other place as it is."""
    index = _OF_A_LIST.get(place.name)
    if index is None or not isinstance(place.value, list | tuple) or not place.value:
        return place
    return OutputPlace(f"{place.path}.{index}", place.name, place.value[index])


def _fields(value: Any) -> Mapping[str, Any]:
    return as_mapping(value) or {}
