"""Recognise the known columns among those of a source by their names."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import lru_cache
from types import MappingProxyType
from typing import NamedTuple
from unicodedata import normalize

import pyarrow as pa

from ragauge import languages
from ragauge.core import compute as pc
from ragauge.core.messages import Argument, Joined, Message
from ragauge.core.sample import SCHEMA
from ragauge.errors import ColumnError, did_you_mean
from ragauge.formats.source import Chunk, Values, of_rows

_NAMES = languages.table("columns")


@lru_cache(maxsize=1024)
def folded(name: str) -> str:
    """Return a header as programs write names: in lower case, with one underscore between words.

    >>> folded("User Input"), folded("groundTruth"), folded(" Ground-Truth "), folded("问题")
    ('user_input', 'ground_truth', 'ground_truth', '问题')
    """
    apart = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", normalize("NFKC", name).strip())
    return re.sub(r"[\s_-]+", "_", apart).lower()


def _known_of(names: Mapping[str, str]) -> dict[str, str]:
    return {name: known for known, several in names.items() for name in several.split()}


ALIASES, _TOOLS = _known_of(_NAMES["programs"]), _known_of(_NAMES["tools"])
"""Name in another tool -> known column; and -> column of calls of tools, which is none of those."""
HEADERS: Mapping[str, str] = {folded(name): known for name, known in _known_of(_NAMES["headers"]).items()}
"""Header, as `folded` writes it -> known column."""
RELEVANT_IDS = frozenset(_NAMES["programs"]["relevance"].split())
"""Columns that list ids of relevant documents: a number in them is an id and no grade."""
CONTEXT, EITHER_ANSWER, _DOCUMENTS, RELEVANT, GRADES, RETRIEVED, FOUND = (
    frozenset(map(folded, _NAMES["ambiguous"][kind].split()))
    for kind in ("context", "answer", "documents", "relevant", "grades", "retrieved", "found")
)
"""Headers of passages that were retrieved or should have been; of the system's or the right answers; of documents;
of relevant ones; of their grades; of passages that were retrieved, or their ids; of results of any kind."""
BY_VALUES = _DOCUMENTS | CONTEXT | RELEVANT
"""Headers whose fields say whether they hold passages that were retrieved, or relevant documents."""
OF_A_DOCUMENT: Mapping[str, str] = {
    folded(name): word for word, names in _NAMES["documents"].items() for name in names.split()
}
"""Header, as `folded` writes it -> what it says of a row's document: its rank, score, points, grade or distance."""
DEEPEVAL_RETRIEVED = frozenset({"retrieval_context", "retrievalContext"})
"""Beside one of these, `context` is deepeval's: the passages that should have been retrieved."""
PREDICTED = ("predicted_answer", "predicted_answers")
"""Beside one of these, which are the system's, `answer` is the right one: so does Haystack's report name them."""
AMBIGUOUS_CONTEXT = (
    "RG-DATA-001 column {context} is ambiguous: in some data it holds what was retrieved, in others what "
    "should have been; choose one:\n  {retrieved} for the passages that the system retrieved\n  {wanted} "
    "for the passages that it should have retrieved"
)
_AS_IDS = (
    "RG-NOTE-240 {right} was read as ids of relevant documents, as {retrieved} has such ids; if they are texts, "
    "pass {map}"
)
_NESTED: Mapping[str, frozenset[str]] = {
    "inputs": frozenset({"question"}),
    "outputs": frozenset({"answer", "contexts", "retrieved", "retrieved_scores"}),
    "expectations": frozenset({"references", "reference_contexts", "relevance"}),
}
"""Object in a row of mlflow -> the known columns within it."""


def known_name(source: str) -> str | None:
    """Return the known column that the name ``source`` means; None if it means none.

    >>> known_name("user_input"), known_name("Ground Truth"), known_name("用户问题"), known_name("topic")
    ('question', 'references', 'question', None)
    >>> known_name("inputs.question")
    'question'
    """
    group, dot, name = source.partition(".")
    if dot and group in _NESTED:
        known = "question" if source == "inputs.messages" else known_name(name)
        return known if known in _NESTED[group] else None
    name = folded(source)
    return name if name in SCHEMA else ALIASES.get(name, HEADERS.get(name))


def order_of(name: str) -> str | None:
    """Return what a column of lists or a key, in any language, says of documents: score, distance or rank; else None.

    The last of its words counts, and of a word without spaces, as in Chinese, also a part.

    >>> order_of("doc_scores"), order_of("检索相似度列表"), order_of("@search.rerankerScore"), order_of("relevance")
    ('score', 'score', 'score', None)
    """
    words = [folded(name), *re.split(r"[_.@()]+", folded(name))[::-1]]
    known = [OF_A_DOCUMENT.get(word) or OF_A_DOCUMENT.get(word.removesuffix("s")) for word in words]
    parts = (OF_A_DOCUMENT[one] for one in OF_A_DOCUMENT if not one.isascii() and len(one) > 1 and one in words[0])
    kind = next((one for one in (*known, *parts) if one), None)
    return {"fit": "score", "points": "score", "grade": None}.get(kind or "", kind)


def suggests_passages(header: str) -> bool:
    """Return whether a header, as `folded` writes it, has a word for passages that were retrieved, and none for others.

    >>> suggests_passages("source"), suggests_passages("expected_source"), suggests_passages("tone")
    (True, False, False)
    """
    words = {name: "".join(some.split()) for name, some in _NAMES["suggest"].items()}
    return next((name for name, pattern in words.items() if re.search(pattern, header)), None) == "contexts"


def suggests_right(header: str) -> bool:
    """Return whether a header, as `folded` writes it, has a word for what is right.

    >>> suggests_right("gold"), suggests_right("正解"), suggests_right("topic")
    (True, True, False)
    """
    return any(re.search("".join(_NAMES["suggest"][one].split()), header) for one in ("relevance", "references"))


def suggests_right_documents(header: str) -> bool:
    """Return whether a header, as `folded` writes it, has a word for what is right and one for documents, in any order.

    None of its other words means an answer.

    >>> [suggests_right_documents(one) for one in ("expected_source", "正确文档", "정답_문단")]
    [True, True, True]
    >>> suggests_right_documents("expected_answer"), suggests_right_documents("retrieved_source")
    (False, False)
    """
    words = {name: "".join(some.split()) for name, some in _NAMES["suggest"].items()}
    rest = re.sub(words["references"], "", header)
    return bool(suggests_right(header) and re.search(words["contexts"], rest) and not re.search(words["answer"], rest))


def own_names(names: Iterable[str]) -> dict[str, str]:
    """Return the mapping under which those of ``names`` that mean another, known column keep their names.

    >>> own_names(["gold", "references", "topic"])
    {'gold': 'gold'}
    """
    return {name: name for name in names if known_name(name) not in (None, name)}


class ColumnMap(NamedTuple):
    """Columns and their names in the source.

    ``sources``: column -> its name in the source; known columns first, then all others.
    ``notes``: a note for each column that was not read as a known one because another column was.
    """

    sources: Mapping[str, str]
    notes: tuple[str, ...]


def resolve(
    names: Sequence[str], mapping: Mapping[str, str], by_values: Mapping[str, str] = MappingProxyType({})
) -> ColumnMap:
    """Return the known columns among ``names``, and all others; ColumnError where it is not clear which is which.

    ``mapping``, the user's choice of a name for a known column, wins over every other rule. A name that is mapped to
    itself is kept. A name in it that is not among ``names`` may come with later rows. ``by_values``: names that do not
    say alone what they are -> the known column that their fields fit, if no other name is that column.

    >>> resolve(["user_input", "response", "topic"], {}).sources
    {'question': 'user_input', 'answer': 'response', 'topic': 'topic'}
    """
    chosen = {known if known == source else known_name(known) or known: source for known, source in mapping.items()}
    free = [name for name in names if name not in mapping.values()]
    passed_over: dict[str, str] = {}
    predicted = [
        name for name in PREDICTED if name in names and "answer" in free and chosen.get("answer", name) == name
    ]
    if predicted:
        free = [name for name in free if name not in ("answer", *predicted)]
        gold = {} if "references" in _candidates(free) else {"references": "answer"}
        chosen = {"answer": predicted[0]} | gold | chosen
    there = {*chosen, *_candidates(free)}
    recognised = there & {"retrieved", "relevance"}
    by_values = {name: known for name, known in by_values.items() if known not in recognised}
    for known, candidates in _candidates([name for name in free if name not in by_values]).items():
        if known not in chosen:
            chosen[known] = _best(known, candidates)
        passed_over |= {name: known for name in candidates if name != chosen[known]}
    if by_values:
        _choose_by_values(by_values, chosen, passed_over)
    for doubtful, meaning in ((CONTEXT, _meaning_of_context), (EITHER_ANSWER, _meaning_of_answer)):
        for name in [one for one in free if one not in chosen.values() and folded(one) in doubtful][:1]:
            known = meaning(name, names, chosen)
            if known in chosen:
                passed_over[name] = known
            else:
                chosen[known] = name
    tools = {name: known for name, known in _TOOLS.items() if known not in names and known not in chosen}
    others = {tools.get(name, name): name for name in names if name not in chosen.values() and name not in chosen}
    ordered = {name: chosen[name] for name in SCHEMA if name in chosen} | chosen | others
    there = set(names)
    sources = {name: source for name, source in ordered.items() if source in there}
    notes = _on_ids(by_values, sources)
    for source, known in passed_over.items():
        if known in sources:
            own = sources[known] == known
            taken = Message("there is a column {known}", known) if own else Message("{name} was", sources[known])
            template = "RG-NOTE-002 column {source} was kept but not read as {known}: {taken}"
            notes.append(Message(template, source, known, taken))
    return ColumnMap(sources, tuple(notes))


def _on_ids(by_values: Mapping[str, str], sources: Mapping[str, str]) -> list[str]:
    """Return a note where a column of right answers was read as ids."""
    right, found = sources.get("relevance", ""), sources.get("retrieved", "retrieved")
    meant = known_name(right) if right in by_values else None
    if meant is None:
        return []
    answers = {"answer": found} if known_name(found) is None and meant == "references" else {}
    return [Message(_AS_IDS, right, found, Argument("map", {**answers, meant: right}))]


def _choose_by_values(by_values: Mapping[str, str], chosen: dict[str, str], passed_over: dict[str, str]) -> None:
    for known in dict.fromkeys(by_values.values()):
        names = [name for name, meant in by_values.items() if meant == known and name not in chosen.values()]
        if known not in chosen and names:
            chosen[known] = _best(known, names)
        passed_over |= {name: known for name in names if name != chosen[known] and folded(name) not in CONTEXT}


def _candidates(names: Iterable[str]) -> dict[str, list[str]]:
    """Return known column -> the ``names`` that mean it."""
    candidates: dict[str, list[str]] = {}
    for name in names:
        known = known_name(name)
        if known is not None:
            candidates.setdefault(known, []).append(name)
    return candidates


def _best(known: str, candidates: Sequence[str]) -> str:
    """Return the column's own name, else the only one, spelled to the letter first; ColumnError for several."""
    spelled = [name for name in candidates if name in SCHEMA or name in ALIASES] or candidates
    if known in spelled:
        return known
    if len(spelled) > 1:
        maps = Joined([Message("  {map}", as_map(known, name)) for name in spelled], "\n")
        raise ColumnError(
            "RG-DATA-003 {spelled} could both be {known}; choose one:\n{maps}", " and ".join(spelled), known, maps
        )
    return spelled[0]


def _meaning_of_context(context: str, names: Iterable[str], chosen: dict[str, str]) -> str:
    """Return the known column that ``context`` is: deepeval's gold passages, or what RGB and Phoenix retrieved.

    Beside one column such as ``expected_context``, which is chosen for the right passages, it is what was retrieved.
    """
    if "reference_contexts" in chosen or not DEEPEVAL_RETRIEVED.isdisjoint(names):
        return "reference_contexts"
    if "contexts" in chosen:
        return "contexts"
    free = {name: folded(name) for name in names if name not in (context, *chosen.values())}
    right = [name for name, own in free.items() if suggests_right(own) and any(word in own for word in CONTEXT)]
    if len(right) == 1:
        chosen["reference_contexts"] = right[0]
        return "contexts"
    retrieved, wanted = (as_map(known, context) for known in ("contexts", "reference_contexts"))
    raise ColumnError(AMBIGUOUS_CONTEXT, context, retrieved, wanted)


def _meaning_of_answer(name: str, _names: Iterable[str], chosen: Mapping[str, str]) -> str:
    """Return the known column that an "answer" of either kind is: that of answer and references which is absent."""
    absent = [known for known in ("answer", "references") if known not in chosen]
    if len(absent) < 2:
        return absent[0] if absent else "answer"
    system, right = (as_map(known, name) for known in absent)
    template = (
        "RG-DATA-002 column {name} is ambiguous: it may hold the system's answers or the right ones; choose "
        "one:\n  {system} for what the system answered\n  {right} for what it should have answered"
    )
    raise ColumnError(template, name, system, right)


def check_mapping(mapping: Mapping[str, str], names: Sequence[str]) -> None:
    """Raise ColumnError where the user's mapping names a column that is not among ``names``, those of all rows."""
    for known, source in mapping.items():
        # Who reads a column under its own name says that it is absent.
        if source not in names and source not in own_names([known]):
            reversed_pair = known in names and known_name(source) is not None
            meant = Message("; did you mean {names}?", as_map(source, known)) if reversed_pair else ""
            hint = meant or did_you_mean(source, names)
            raise ColumnError(
                "RG-DATA-004 {argument}: the data have no column {source!r}{hint}", as_map(known, source), source, hint
            )


def as_map(known: str, source: str) -> Argument:
    """Return the argument ``map`` that reads column ``source`` as ``known``, for messages.

    >>> as_map("contexts", "docs")
    "map={'contexts': 'docs'}"
    """
    return Argument("map", {known: source})


def known_for_certain(names: Sequence[str]) -> dict[str, str]:
    """Return known column -> name where it is certain; a column with several candidates is left out."""
    chosen = {}
    for known, candidates in _candidates(names).items():
        with suppress(ColumnError):
            chosen[known] = _best(known, candidates)
    return chosen


def unnested(chunk: Chunk, wanted: Iterable[str]) -> Chunk:
    """Turn the keys of objects into columns: in mlflow's rows, and where a dotted name in ``wanted`` points into one.

    >>> rows = Chunk({"inputs": [{"question": "Who?"}], "outputs": ["Anna"]}, range(1, 2))
    >>> unnested(rows, []).columns
    {'outputs': ['Anna'], 'inputs.question': ['Who?']}
    """
    objects = {name.partition(".")[0] for name in wanted if "." in name and name not in chunk.columns}
    if "inputs" in chunk.columns:
        objects |= {"inputs", "outputs", "expectations"}
    columns, problems, absent = dict(chunk.columns), list(chunk.problems), chunk.absent
    for name in [name for name in columns if name in objects]:
        inner = _keys(columns[name], chunk.places)
        problems += inner.problems
        absent += inner.absent
        if inner.columns:
            del columns[name]
            columns.update({f"{name}.{field}": values for field, values in inner.columns.items()})
    too_many = len(problems) > len(chunk.problems)
    whole = replace(chunk, columns=columns, problems=problems, absent=absent)
    return Chunk({}, (), problems) if too_many else whole


def _keys(values: Values, places: Sequence[int]) -> Chunk:
    if isinstance(values, pa.Array):
        kind = values.type if pa.types.is_struct(values.type) else ()
        return Chunk({field.name: pc.struct_field(values, [place]) for place, field in enumerate(kind)}, places)
    if not all(value is None or isinstance(value, dict) for value in values):
        return Chunk({}, places)
    return of_rows([value or {} for value in values], places)
