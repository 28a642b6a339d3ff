"""Which column of the source, or value within its objects (`inputs.question`), is which known column."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from types import MappingProxyType
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from ragauge.errors import ColumnError, did_you_mean
from ragauge.formats._aliases import DEEPEVAL_RETRIEVED, is_spelled, known_name
from ragauge.formats._chunk import Chunk, Values
from ragauge.formats._headers import CONTEXT, folded
from ragauge.sample import SCHEMA


@dataclass(frozen=True, slots=True)
class Fields:
    """The map from columns to the source's names.

    ``sources``: column -> its name in the source; known columns first, then all others.
    ``shadowed``: name in the source -> the known column that it could have been.
    """

    sources: Mapping[str, str]
    shadowed: Mapping[str, str]

    @property
    def renamed(self) -> Mapping[str, str]:
        """Column -> its name in the source, where the two differ."""
        return MappingProxyType({name: source for name, source in self.sources.items() if name != source})

    def notes(self) -> tuple[str, ...]:
        """Say which columns were left aside because another one has the canonical name."""
        return tuple(
            f"column {source} was kept but not read as {known}: {_taken(self.sources[known], known)}"
            for source, known in self.shadowed.items()
            if known in self.sources
        )


def _taken(source: str, known: str) -> str:
    return f"there is a column {known}" if source == known else f"{source} was"


def resolve(names: Sequence[str], mapping: Mapping[str, str]) -> Fields:
    """Find the known columns among ``names``.

    Args:
        names: the columns of the source.
        mapping: column -> its name in the source, as the user said; it wins over everything. A name that is not
            among ``names`` may come with later rows.

    Raises:
        ColumnError: two columns could be the same known column, or ``context`` could be two.

    >>> resolve(["user_input", "response", "topic"], {}).sources
    mappingproxy({'question': 'user_input', 'answer': 'response', 'topic': 'topic'})
    """
    chosen = {known_name(name) or name: source for name, source in mapping.items()}
    rest = [name for name in names if name not in set(mapping.values())]
    shadowed = _add_known(chosen, _candidates(rest, chosen))
    context = next((name for name in rest if folded(name) in CONTEXT), None)
    if context is not None:
        _add_context(chosen, names, shadowed, context)
    used = set(chosen.values())
    others = {name: name for name in names if name not in used and name not in chosen}
    ordered = {name: chosen[name] for name in SCHEMA if name in chosen}
    sources = {name: source for name, source in {**ordered, **chosen, **others}.items() if source in names}
    return Fields(MappingProxyType(sources), MappingProxyType(shadowed))


def check_mapping(mapping: Mapping[str, str], names: Sequence[str]) -> None:
    """Refuse a mapping from a column that no row has.

    Raises:
        ColumnError: there is one.
    """
    for known, source in mapping.items():
        if source not in names:
            turned = known in names and known_name(source) is not None
            hint = f"; did you mean --map {source}={known}?" if turned else did_you_mean(source, names)
            raise ColumnError(f"--map: the data have no column {source!r}{hint}")


def _candidates(names: Iterable[str], chosen: Mapping[str, str]) -> dict[str, list[str]]:
    """Return known column -> the names that stand for it, those of ``chosen`` columns included."""
    found: dict[str, list[str]] = {known: [source] for known, source in chosen.items()}
    for name in names:
        known = known_name(name)
        if known is not None:
            found.setdefault(known, []).append(name)
    return found


def _add_known(chosen: dict[str, str], candidates: Mapping[str, list[str]]) -> dict[str, str]:
    """Choose one source for each known column; return those that were passed over."""
    shadowed = {}
    for known, names in candidates.items():
        spelled = [name for name in names if is_spelled(name)] or names
        if known not in chosen and len(spelled) > 1 and known not in spelled:
            raise ColumnError(_two_for_one(known, spelled))
        chosen.setdefault(known, known if known in spelled else spelled[0])
        shadowed.update({name: known for name in names if name != chosen[known]})
    return shadowed


def _two_for_one(known: str, names: Sequence[str]) -> str:
    maps = "\n".join(f"  --map {quoted(f'{known}={name}')}" for name in names)
    return f"{' and '.join(names)} could both be {known}; say which one is:\n{maps}"


def quoted(text: str) -> str:
    """Write an argument for a shell.

    >>> quoted("contexts=docs"), quoted("contexts=Retrieved Docs")
    ('contexts=docs', '"contexts=Retrieved Docs"')
    """
    return f'"{text}"' if " " in text else text


def _add_context(chosen: dict[str, str], names: Sequence[str], shadowed: dict[str, str], context: str) -> None:
    """Decide what the column ``context`` is: deepeval's gold passages, or what RGB and Phoenix retrieved."""
    if DEEPEVAL_RETRIEVED & set(names) and "reference_contexts" not in chosen:
        chosen["reference_contexts"] = context
    elif "reference_contexts" in chosen:
        shadowed[context] = "reference_contexts"
    elif "contexts" in chosen:
        shadowed[context] = "contexts"
    else:
        maps = [f"  --map {quoted(f'{known}={context}')}" for known in ("contexts", "reference_contexts")]
        raise ColumnError(
            f"column {context} is ambiguous: in some data it holds what was retrieved, in others what should have "
            f"been; say which it is:\n{maps[0]:36}  the passages that the system retrieved\n"
            f"{maps[1]:36}  the passages that it should have retrieved"
        )


def unnested(chunk: Chunk, wanted: Iterable[str]) -> Chunk:
    """Open the objects that hold columns: mlflow's rows, and what a dotted name in ``wanted`` points into.

    >>> rows = Chunk({"inputs": [{"question": "Who?"}], "outputs": ["Anna"]}, range(1, 2))
    >>> unnested(rows, []).columns
    {'outputs': ['Anna'], 'inputs.question': ['Who?']}
    """
    columns = dict(chunk.columns)
    for name in _groups(columns, wanted):
        inner = _fields(columns[name])
        if inner:
            del columns[name]
            columns.update({f"{name}.{field}": values for field, values in inner.items()})
    return chunk if columns.keys() == chunk.columns.keys() else Chunk(columns, chunk.places, chunk.problems)


def _groups(columns: Mapping[str, Values], wanted: Iterable[str]) -> list[str]:
    pointed = {name.partition(".")[0] for name in wanted if "." in name and name not in columns}
    mlflow = {"inputs", "outputs", "expectations"} if "inputs" in columns else set()
    return [name for name in columns if name in pointed | mlflow]


def _fields(values: Values) -> dict[str, Values]:
    if isinstance(values, pa.Array):
        if not pa.types.is_struct(values.type):
            return {}
        return {field.name: pc.struct_field(values, field.name) for field in values.type}
    if not all(value is None or isinstance(value, dict) for value in values):
        return {}
    objects: list[dict[str, Any]] = [value or {} for value in values]
    names = dict.fromkeys(chain.from_iterable(objects))
    return {name: [one.get(name) for one in objects] for name in names}
