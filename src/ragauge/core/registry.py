"""Metrics and ingredients by name. Each registers itself in its own file, which `ragauge.core.names` finds."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, fields, is_dataclass
from functools import partial
from inspect import getdoc, unwrap
from types import MappingProxyType
from typing import Any, ClassVar, TypeVar, cast

from ragauge.core.function_names import name_of_function
from ragauge.core.loading import is_in_code, object_at
from ragauge.core.names import (
    HOMES,
    KINDS,
    WORDS,
    load_all,
    load_listed,
    load_new,
    load_plugins,
    place_of,
    registrations,
)
from ragauge.core.options import build, checked, lacking, option_fields, option_texts
from ragauge.core.registrable import check_class
from ragauge.core.spec import PROTOCOLS, Spec, parse_ingredient, write
from ragauge.errors import OptionError, UnknownNameError, UsageError

Class = TypeVar("Class", bound=type)
Options = Mapping[str, str]

_OF_SCORE = frozenset({("writer", "csv"), ("writer", "json")})
"""Formats that `ragauge score` writes itself."""
# Names of other libraries that are not spelled like any of ours.
_ELSEWHERE: Mapping[tuple[str, str], str] = {
    ("embedder", "sentence-transformers"): "st[model=NAME]",
    ("metric", "accuracy"): "exact-match",
    ("metric", "aspect-critic"): "judged-rubric",
    ("metric", "bleurt"): "bertscore",
    ("metric", "aurc"): "ragauge.risk_coverage",
    ("metric", "cometkiwi"): "comet",
    ("metric", "consistency"): "ragauge repeats --consistency token-f1",
    ("metric", "contains"): "contains-answer",
    ("metric", "cosine"): "semantic-similarity",
    ("metric", "factuality"): "judged-factual-correctness",
    ("metric", "flip-rate"): "ragauge repeats",
    ("metric", "g-eval"): "judged-rubric",
    ("metric", "geval"): "judged-rubric",
    ("metric", "hallucination"): "groundedness",
    ("metric", "has-answer"): "contains-answer",
    ("metric", "judged-criteria"): "judged-rubric",
    ("metric", "kendall"): "ragauge compare",
    ("metric", "kendall-tau"): "ragauge compare",
    ("metric", "levenshtein"): "edit-similarity",
    ("metric", "missed-refusal"): "abstention-accuracy",
    ("metric", "missed-refusal-rate"): "abstention-accuracy",
    ("metric", "overlap"): "ragauge compare",
    ("metric", "pairwise"): "judged-preference",
    ("metric", "pass"): "ragauge repeats -k",
    ("metric", "rbo"): "ragauge compare",
    ("metric", "risk-coverage"): "ragauge.risk_coverage",
    ("writer", "excel"): "xlsx",
    ("metric", "self-bleu"): "ragauge repeats --consistency bleu --others together",
    ("metric", "relevance"): "answer-relevancy or context-relevancy",
    ("metric", "rouge"): "rouge-1 or rouge-2 or rouge-l",
    ("metric", "rubrics-score"): "judged-rubric",
    ("metric", "similarity"): "semantic-similarity",
    ("metric", "success"): "hit-rate",
    ("tokenizer", "fugashi"): "ja",
    ("tokenizer", "jieba"): "zh",
    ("tokenizer", "mecab"): "ja or ko",
    ("tokenizer", "pythainlp"): "th",
}


@dataclass(frozen=True)
class Entry:
    """A registered name: its class, and the options that the name implies."""

    kind: str
    name: str
    cls: type
    at: str | None = None
    fixed: Options = field(default_factory=dict)
    """Options that this name implies: ``rouge-2`` is ``rouge-n`` with ``order=2``."""
    compat: Mapping[str, Options] = field(default_factory=dict)
    """``compat=name`` -> options that it fills in where they are not given."""
    alias_of: str | None = None
    instance: object | None = None
    """Set where the name is that of one ready object: a plain function made a metric."""
    meaning: str = ""
    """What it is in one sentence, where that is not the first of the docstring: of a name that implies options."""

    @property
    def place(self) -> str:
        """Where its class, or the function that became a metric, is written: ``path:line``."""
        return place_of(self.cls if self.instance is None else unwrap(cast("Any", self.instance)))


_entries: dict[tuple[str, str], Entry] = {}


def register(
    name: str,
    *,
    at: str | None = None,
    aliases: Iterable[str] = (),
    variants: Mapping[str, Options] = MappingProxyType({}),
    meanings: Mapping[str, str] = MappingProxyType({}),
    compat: Mapping[str, Options] = MappingProxyType({}),
) -> Callable[[Class], Class]:
    """Register a metric: a frozen dataclass that follows `ragauge.Metric`.

    Args:
        name: its name on the command line.
        at: the field that ``@`` sets.
        aliases: further names for the same thing.
        variants: names that imply some options; ``str`` of the metric uses them.
        meanings: what these names mean in one sentence, each where the docstring's first sentence does not say it.
        compat: presets; ``compat=name`` fills options that were not given.
    """

    def decorate(cls: Class) -> Class:
        _add(Entry("metric", name, cls, at, compat=compat))
        for alias in aliases:
            _add(Entry("metric", alias, cls, at, compat=compat, alias_of=name))
        for variant, fixed in variants.items():
            meaning = meanings.get(variant, "")
            _add(Entry("metric", variant, cls, None if at in fixed else at, fixed, compat, meaning=meaning))
        cls.__str__ = format_metric  # type: ignore[method-assign,assignment]
        return checked(name, make_ingredient)(cls)

    return decorate


def ingredient(
    kind: str, name: str, *, compat: Mapping[str, Options] = MappingProxyType({})
) -> Callable[[Class], Class]:
    """Register an ingredient, a frozen dataclass, of a kind: tokenizer, matcher, embedder, support, relevance, judge.

    ``kind`` may be ``writer`` too, for where `ragauge.export` writes runs.

    Raises:
        UnknownNameError: there is no such kind.
    """
    kinds = [name for name, one in KINDS.items() if one.by == "ingredient"]
    if kind not in kinds:
        raise UnknownNameError.of("kind of ingredient", kind, kinds)

    def decorate(cls: Class) -> Class:
        _add(Entry(kind, name, cls, compat=compat))
        cls.__str__ = format_ingredient  # type: ignore[method-assign,assignment]
        return checked(f"{kind} {name!r}", make_ingredient)(cls)

    return decorate


def register_instance(name: str, instance: object) -> None:
    """Register one ready metric, replacing one of the same name that was also made of a function."""
    known = _entries.get(("metric", name))
    if known is not None and known.instance is not None:
        del _entries["metric", name]
    _add(Entry("metric", name, type(instance), instance=instance))


def entries(kind: str) -> dict[str, Entry]:
    """Return all of ``kind`` by name, sorted; every module that registers some, also of other packages, is imported."""
    load_all(kind)
    return {name: entry for (of, name), entry in sorted(_entries.items()) if of == kind}


def lookup(kind: str, name: str) -> Entry:
    """Return the entry of a name, importing only the module that registers it; UnknownNameError with near names."""
    for load in (partial(load_listed, kind, name), partial(load_plugins, kind), partial(load_new, kind, name)):
        if (kind, name) not in _entries:
            load()
    if (kind, name) not in _entries:
        several = [one for one in re.split(r"[,;\s]+", name) if one]
        if kind == "metric" and len(several) > 1:
            raise UsageError(
                "RG-CORE-023 {name!r} is not one metric; pass each on its own: {several}",
                name,
                ", ".join(map(repr, several)),
            )
        of_hub = f"st[model={name}]" if kind == "embedder" and "/" in name else None
        if (kind, name.partition("[")[0].lower()) in _OF_SCORE:
            raise UnknownNameError(
                "RG-CORE-040 {name!r} is not a writer: ragauge score RUN --output-format {name} writes scores so, "
                "and ragauge score RUN --per-sample FILE those of each sample, in the format of its ending",
                name.partition("[")[0].lower(),
            )
        meant = _ELSEWHERE.get((kind, name.lower().replace("_", "-").partition("^")[0]), of_hub)
        if meant is not None:
            raise UnknownNameError("RG-CORE-024 unknown {kind} {name!r}; did you mean {meant}?", kind, name, meant)
        ours = [known for one in registrations() if one.kind == kind for known in one.names]
        others = [known for of, known in _entries if of == kind]
        raise UnknownNameError.of(kind, name, {*ours, *others, *WORDS.get(kind, ())})
    return _entries[kind, name]


def make_ingredient(kind: str, text: Any) -> Any:
    """Return the ingredient of a spec, ``name`` or ``name[key=value,...]``, of the place of code, or of a function."""
    if not isinstance(text, str) or is_in_code(text):
        return _of_code(kind, text)
    spec = parse_ingredient(text)
    entry = lookup(kind, spec.name)
    return build(entry.cls, options_of(entry, spec), f"{kind} {spec.name!r}", make_ingredient)


def _of_code(kind: str, code: Any) -> Any:
    """Return the ingredient that is a function, or at the place of one in the user's code; other objects as they are.

    ``kind``: of those kinds whose ingredient ``function`` makes one of a function.
    """
    value, name = (object_at(code), code.strip()) if isinstance(code, str) else (code, None)
    protocol = next((one for one, of in PROTOCOLS.items() if of == kind), object)
    if not lacking(value, protocol) or (kind, "function") not in HOMES:
        return value
    made = cast("type[Any]", lookup(kind, "function").cls)
    if not (callable(value) or made.method_of(value)):
        return value
    return made(value, name_of_function(value, name) if name else "")


def format_metric(metric: object) -> str:
    """Write the canonical spec of a metric: what differs from the defaults, keys sorted."""
    # Of the names of a class, the one that fixes the most of the options; an alias is not written.
    best: Entry | None = None
    for (kind, _), entry in _entries.items():
        if kind != "metric" or entry.cls is not type(metric) or entry.alias_of is not None:
            continue
        if entry.instance is not None and entry.instance is not metric:
            continue
        fixed = {key: write(getattr(metric, key)) for key in entry.fixed}
        if fixed == entry.fixed and (best is None or len(entry.fixed) > len(best.fixed)):
            best = entry
    best = best or Entry("metric", type(metric).__name__, type(metric))
    texts = option_texts(metric)
    at = f"@{texts.pop(best.at)}" if best.at in texts else ""
    written = ",".join([f"{key}={text}" for key, text in texts.items() if key not in best.fixed])
    return f"{best.name}{at}:{written}" if written else f"{best.name}{at}"


def format_ingredient(instance: object) -> str:
    """Write the canonical spec of an ingredient."""
    for (_, name), entry in _entries.items():
        if entry.cls is type(instance):
            written = ",".join([f"{key}={text}" for key, text in option_texts(instance).items()])
            return f"{name}[{written}]" if written else name
    return type(instance).__name__


class Signed:
    """An ingredient with the signature ``name[key=value,...]``: its options, `versions` and `revision`."""

    revision: ClassVar[int] = 1
    """Raised when what it computes changes for the same options."""

    @property
    def versions(self) -> Mapping[str, str]:
        """Versions of libraries and hashes of dictionaries that decide what it computes."""
        return MappingProxyType({})

    @property
    def decides(self) -> Mapping[str, str]:
        """What its results depend on: options, versions, digests of files; not the device or batch size."""
        return {**option_texts(self, all_of_them=True), **self.versions}

    @property
    def signature(self) -> str:
        """Name, what its results depend on, and the revision."""
        name = str(self).partition("[")[0]
        parts = {**self.decides, "revision": str(self.revision)}
        return f"{name}[{','.join([f'{key}={text}' for key, text in parts.items()])}]"


def meaning_of(entry: Entry) -> str:
    """Return what a name means in one sentence.

    >>> print(meaning_of(entries("metric")["span-recall"]))
    Span recall: the share of the characters of the reference spans that the retrieved chunks have.
    """
    return entry.meaning or first_sentence(entry.instance or entry.cls)


def first_sentence(of: object) -> str:
    """Return the first sentence of the docstring of a metric, or of the function that it was made from, in one line."""
    return " ".join((getdoc(unwrap(cast("Any", of))) or "").partition("\n\n")[0].replace("``", "`").split())


def options_of(entry: Entry, spec: Spec) -> dict[str, str]:
    """Return the options of a spec by name: what its name implies, its preset fills in, ``@`` and its own text set."""
    options = dict(spec.options)
    if spec.at:
        if entry.at is None:
            raise OptionError.unknown(spec.name, f"@{spec.at[0]}", [field.name for field in option_fields(entry.cls)])
        if entry.at in options:
            raise UsageError(
                "RG-CORE-025 {text!r} gives {at!r} twice, by '@' and by name; give it once", spec.text, entry.at
            )
        options[entry.at] = spec.at[0]
    preset = options.pop("compat", None)
    if preset is None:
        return {**entry.fixed, **options}
    if preset not in entry.compat:
        allowed = " or ".join(sorted(entry.compat)) or "left out: it has no presets"
        raise OptionError.value(spec.name, "compat", allowed, preset)
    return {**entry.fixed, **entry.compat[preset], **options}


def _add(entry: Entry) -> None:
    """Add ``entry``; a class of the same name in the same module may replace itself, as when a module is reloaded."""
    if not isinstance(entry.name, str) or not entry.name.strip() or set(entry.name) & set("@:,[]"):
        raise UsageError(
            "RG-CORE-020 a {kind} must have a name without '@', ':', ',' and brackets; got {name!r}",
            entry.kind,
            entry.name,
        )
    taken = _taken(entry)
    if taken is not None:
        template = "RG-CORE-027 two {kind}s are named {name!r}: {taken} and {place}. Rename one of them."
        raise UsageError(template, entry.kind, entry.name, taken, entry.place)
    if not is_dataclass(entry.cls) or not entry.cls.__dataclass_params__.frozen:  # type: ignore[attr-defined]
        template = "RG-CORE-028 {cls!r} must be a frozen dataclass; put @dataclass(frozen=True) below its registration"
        raise UsageError(template, entry.cls)
    spelling = "-".join(re.split(r"[\s_]+", entry.name.strip())).lower()
    if entry.instance is None and entry.name != spelling:
        template = "RG-CORE-034 a {kind} must have a name in lower case with hyphens; got {name!r}. Write {spelling!r}."
        raise UsageError(template, entry.kind, entry.name, spelling)
    check_class(entry.kind, entry.cls)
    if entry.at is not None and entry.at not in [one.name for one in fields(entry.cls)]:
        template = "RG-CORE-032 {cls!r} has no field {at!r}, which at names; add the field, or leave out at="
        raise UsageError(template, entry.cls, entry.at)
    _entries[entry.kind, entry.name] = entry


def _taken(entry: Entry) -> str | None:
    """Return where another class has the name of ``entry``; None where it is free."""
    known = _entries.get((entry.kind, entry.name))
    if known is not None:
        same = (known.cls.__module__, known.cls.__qualname__) == (entry.cls.__module__, entry.cls.__qualname__)
        return None if same else known.place
    if HOMES.get((entry.kind, entry.name), entry.cls.__module__) == entry.cls.__module__:
        return None
    # The table may be older than the sources.
    load_new(entry.kind, entry.name)
    other = _entries.get((entry.kind, entry.name))
    return None if other is None else other.place
