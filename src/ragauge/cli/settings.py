"""Settings of ``ragauge score``: the command line wins over RAGAUGE_* variables, these over ``ragauge.toml``."""

from __future__ import annotations

import os
from codecs import getincrementaldecoder
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal, TypeAlias

import rich_click as click
from click.core import ParameterSource

from ragauge.cli.trust import INGREDIENTS, check_parts, of_trusted
from ragauge.core.loading import checking_code
from ragauge.core.messages import Argument, Message
from ragauge.errors import OptionError, RagaugeError, UsageError
from ragauge.gates.configuration import OWN, SHARED, Configuration, read

Kind: TypeAlias = Literal["text", "texts", "number", "count", "cores", "path"]


@dataclass(frozen=True)
class Key:
    """One key of [score]."""

    name: str  # in the file
    option: str  # the parameter of the command that it sets
    kind: Kind
    example: str  # of a value, as TOML
    help: str  # one line for the template and the schema


KEYS = (
    Key("metrics", "metrics", "texts", '["ndcg@10", "groundedness"]', "by default all whose columns are there"),
    Key(
        "preset",
        "preset",
        "text",
        '"rag"',
        "in place of metrics: retrieval, generation, rag, summary, translation, all",
    ),
    Key("lang", "lang", "text", '"zh"', 'use the tokenizer of this language; "column": that of each row'),
    Key("tokenizer", "tokenizer", "text", '"zh"', "for all metrics that take one and name none of their own"),
    Key("embedder", "embedder", "text", '"blend"', "for all metrics that take one and name none of their own"),
    Key("support", "support", "text", '"ngram-recall"', "a support model for all metrics that take one and name none"),
    Key("relevance", "relevance", "text", '"lexical"', "a relevance model for all metrics that take one and name none"),
    Key("matcher", "matcher", "text", '"edit"', "a matcher of passages for all metrics that take one and name none"),
    Key("judge", "judge", "text", '"http://localhost:11434/v1"', "the LLM that judged metrics ask; or chat[...]"),
    Key("judge-model", "judge_model", "text", '"qwen3"', "the name of its model"),
    Key("judge-protocol", "judge_protocol", "text", '"decisions"', "how it is asked: chat, decisions or systemone"),
    Key("judge-key-file", "judge_key_file", "path", '".ragauge/key"', "holds its API key"),
    Key("judge-parallel", "judge_parallel", "count", "64", "its requests under way at once"),
    Key("judge-timeout", "judge_timeout", "number", "120", "seconds to wait for a reply of it"),
    Key("judge-extra", "judge_extra", "path", '"judge.json"', "fields and headers that requests to it have besides"),
    Key("judge-cache", "judge_cache", "path", '".ragauge/judge.sqlite"', "caches its replies from run to run"),
    Key("max-calls", "max_calls", "count", "1000", "requests to a judge that a run may send"),
    Key("max-cost", "max_cost", "number", "5.0", "what they may cost"),
    Key("price-in", "price_in", "number", "0.15", "of a million tokens that a judge is sent"),
    Key("price-out", "price_out", "number", "0.6", "of a million tokens that it sends"),
    Key("by", "by", "texts", '["language"]', "also one row per value of these columns"),
    Key("cluster", "cluster", "text", '"document"', "samples with the same value belong together (for intervals)"),
    Key("ci", "ci", "number", "0.95", "level of the intervals"),
    Key("interval", "interval", "text", '"jackknife"', 'how intervals are made; or "percentile" of the bootstrap'),
    Key("resamples", "resamples", "count", "1000", "bootstrap replicates; 0: no intervals"),
    Key("seed", "seed", "count", "0", "seed of the replicates"),
    Key("limit", "limit", "count", "100", "read only the first samples, this many"),
    Key("workers", "workers", "cores", "4", 'processes that score at once; "all": one for each core; by default one'),
    Key("embedding-cache", "embedding_cache", "path", '".ragauge/vectors"', "keep vectors of texts from run to run"),
    Key(
        "encoding",
        "encoding",
        "text",
        '"cp1252"',
        "Encoding of texts that are not UTF-8, as in big5; GBK is recognised.",
    ),
    Key("lang-ui", "lang_ui", "text", '"zh"', "language of tables and notes, of all commands: zh or en"),
    Key("output-format", "output_format", "text", '"table"', "table, json, csv or markdown"),
)

_TYPES: dict[Kind, Any] = {
    "text": Annotated[str, "a text"],
    "texts": Annotated[str | tuple[str, ...], "a text or a list of texts"],
    "number": Annotated[float, "a number"],
    "count": Annotated[int, "a whole number"],
    "cores": Annotated[int | Literal["all"], 'a whole number, or "all"'],
    "path": Annotated[str, "a path"],
}
_PREFIX = "RAGAUGE_"
_HEAD = 1 << 20
"""Bytes of data that are looked at."""
_ROWS = 100
"""Rows in which the columns of [map] and [split] are looked for at first."""
_NO_COLUMN = frozenset({"RG-DATA-004", "RG-DATA-007"})
"""Errors of data without a column that was named."""
_UNUSED = "RG-NOTE-286 the setting {setting} of [{table}] in {file} is not used: these data have no such column"
_MISSPELT = 0.8  # similarity, by difflib, from which a name is a misspelt option
FROM_USER = (ParameterSource.COMMANDLINE, ParameterSource.ENVIRONMENT)
"""Where values come from that the user gave, and no file."""


def resolve(
    context: click.Context, options: Mapping[str, Any], config: Path | None = None
) -> tuple[dict[str, Any], list[str]]:
    """Return the ``options`` of a command, completed by the settings file, and notes on them.

    ``map`` and ``split`` are mappings. The file is by default that of this folder; UsageError for a wrong key or value.
    """
    known = [(param.name or "").upper() for param in context.command.params]
    notes: list[str] = []
    for variable in sorted(os.environ):
        name = variable.removeprefix(_PREFIX)
        if variable.startswith(_PREFIX) and name not in known:
            from difflib import get_close_matches

            # Variables that are not like an option belong to other programs.
            nearest = get_close_matches(name, known, n=1, cutoff=_MISSPELT)
            template = "the variable {name} sets nothing; did you mean {other}?"
            notes += [Message(template, variable, f"{_PREFIX}{option}") for option in nearest]
    file = find(Path(), config)
    if file is None:
        return dict(options), notes
    from_user = {name for name in options if context.get_parameter_source(name) in FROM_USER}
    settings = _score_settings(file)
    if from_user & {"metrics", "preset"}:
        settings = {name: value for name, value in settings.items() if name not in ("metrics", "preset")}
    # A file is for several commands, and not all have all options: ragauge ask has no --workers.
    used = {name: value for name, value in settings.items() if name in options and name not in from_user}
    if "encoding" in used and _is_utf8(options["data"]):
        del used["encoding"]
    specs = [name for name in ("metrics", *INGREDIENTS) if name in options]
    of_file = {name: used[name] for name in specs if name in used}
    of_user = {name: options[name] for name in specs if name not in used}
    with checking_code(of_trusted(file, of_file, of_user)):
        used, untaken = _taken(used, {**options, **used})
        check_parts(file, used, {**options, **used})
    tables = {} if options["data"] is None else {name: column_table(file, name) for name in ("map", "split")}
    # Under ask, a column may be one that the system returns.
    unused = (
        [] if options["data"] in (None, "-") or "system" in options else _drop_absent(file, tables, {**options, **used})
    )
    merged = {name: {**table, **options[name]} for name, table in tables.items() if table}
    names = [*(key.name for key in KEYS if key.option in used), *merged]
    shown = ", ".join(names) if names else Message("none")
    used_of = Message("settings of {file}: {names}", file.path, shown)
    return {**options, **used, **merged}, [used_of, *untaken, *unused, *notes]


def _drop_absent(file: Configuration, tables: dict[str, dict[str, str]], options: Mapping[str, Any]) -> list[str]:
    """Drop the columns of [map] and [split] that the data do not have, and return a note for each.

    A file of settings is for several files of data. What the first rows lack is looked for in all.
    """
    from ragauge.formats import read

    notes: list[str] = []
    limit: int | None = _ROWS
    form, encoding = options.get("format"), options.get("encoding")
    while any(tables.values()):
        names = [{**tables[name], **options[name]} for name in ("map", "split")]
        try:
            read(options["data"], mapping=names[0], split=names[1], limit=limit, format=form, encoding=encoding)
        except RagaugeError as error:
            absent = _absent(error, tables, options)
            if absent is None:
                break
            if limit is not None:
                limit = None
                continue
            table, column = absent
            setting = f"{column} = {tables[table].pop(column)!r}"
            notes.append(Message(_UNUSED, setting, table, file.path))
        else:
            break
    return notes


def _absent(
    error: RagaugeError, tables: Mapping[str, Mapping[str, str]], options: Mapping[str, Any]
) -> tuple[str, str] | None:
    """Return the table and the column of a setting that an error says the data do not have; None for another error."""
    values = error.message.values.values() if isinstance(error.message, Message) else ()
    pairs_of = [one.parts for one in values if isinstance(one, Argument) and {*error.codes} & _NO_COLUMN]
    for table, pair, _ in pairs_of:
        for column, value in pair.items():
            if tables[table].get(column) == value and column not in options[table]:
                return table, column
    return None


def _is_utf8(data: str | None) -> bool:
    """Return whether a file begins with texts in UTF-8 that are not ASCII, so that no other encoding is meant."""
    try:
        with open(data or "", "rb") as file:  # noqa: PTH123 - the name of a pipe or of a folder is no file
            head = file.read(_HEAD)
        return not head.isascii() and bool(getincrementaldecoder("utf-8")().decode(head))
    except (OSError, ValueError):
        return False


def _taken(settings: Mapping[str, Any], options: Mapping[str, Any]) -> tuple[dict[str, Any], list[str]]:
    """Return ``settings`` without ingredients that no metric of ``options`` takes, and a note for each.

    A file is for several commands, so what one of them does not use is no error.
    """
    named_ones = [kind for kind in INGREDIENTS if kind in settings]
    if not named_ones or not options["metrics"]:
        return dict(settings), []
    from ragauge.cli.judging import NAMES, UNNAMED, judge_text
    from ragauge.evaluation.request import RunRequest, takes

    judge = judge_text(options, lambda _: UNNAMED) if "judge" in options else None
    metrics = RunRequest(metrics=options["metrics"], judge=judge).requested_metrics or {}
    untaken = [kind for kind in named_ones if not any(takes(metric, kind) for metric in metrics.values())]
    dropped = {*untaken, *(NAMES if "judge" in untaken else ())}
    kept = {name: value for name, value in settings.items() if name not in dropped}
    template = "the setting {name} is not used: no metric here has the option and uses it"
    return kept, [Message(template, kind) for kind in untaken]


def find(folder: Path, file: Path | None = None) -> Configuration | None:
    """Read ``file``, else ``folder``'s ragauge.toml, else its pyproject.toml if that has [tool.ragauge]."""
    for path in (file,) if file is not None else (folder / OWN, folder / SHARED):
        if file is not None or path.is_file():
            configuration = read(path)
            if configuration.table or file is not None or path.name == OWN:
                return configuration
    return None


def _score_settings(file: Configuration) -> dict[str, Any]:
    from ragauge.core.options import checked_value

    file.check_keys("score", (key.name for key in KEYS))
    section = file.section("score")
    if "metrics" in section and "preset" in section:
        raise UsageError(
            "RG-CLI-038 {place}: [score] has metrics and a preset. Remove one of them.", file.where("score", "preset")
        )
    settings: dict[str, Any] = {}
    for key in KEYS:
        # An empty list says nothing.
        if key.name not in section or (key.kind == "texts" and section[key.name] == []):
            continue
        value = section[key.name]
        checked_value(file.where("score", key.name), key.name, value, _TYPES[key.kind])
        if key.kind == "texts":
            value = (value,) if isinstance(value, str) else tuple(value)
        settings[key.option] = str(file.path.parent / value) if key.kind == "path" else value
    return settings


def column_table(file: Configuration, name: str) -> dict[str, str]:
    """Return [map] or [split], or raise OptionError where a value is not a text."""
    table = file.section(name)
    for column, value in table.items():
        if not isinstance(value, str):
            raise OptionError.value(file.where(name, column), column, "a text", value)
    return dict(table)


def column_map(texts: Iterable[str]) -> dict[str, str]:
    """Return the columns of --map, and [map] of the file in this folder for the others."""
    file = find(Path())
    return {**(column_table(file, "map") if file else {}), **pairs(texts)}


def pairs(texts: Iterable[str], option: str = "--map") -> dict[str, str]:
    r"""Return texts such as ``question=user_input`` as a mapping.

    A known column that is several of the data is named several times. The separators of ``--split`` write a line end
    and a tab as ``\n`` and ``\t``.

    >>> pairs(["question=user_input", "answer=a=b"])
    {'question': 'user_input', 'answer': 'a=b'}
    >>> pairs(["contexts=hit 1", "contexts=hit 2"])
    {'contexts': 'hit 1, hit 2'}
    """
    mapping = {}
    for text in texts:
        name, equals, value = text.partition("=")
        if not (name and equals and value):
            form = "COLUMN=SEPARATOR" if option == "--split" else "KNOWN=YOURS"
            example = "contexts='|||'" if option == "--split" else "question=user_input"
            raise UsageError(
                "RG-CLI-039 {option} must be {form}, as in {option} {example}; got {text!r}",
                option,
                form,
                example,
                text,
            )
        if option == "--split":
            mapping[name] = value.replace("\\n", "\n").replace("\\t", "\t")
        else:
            mapping[name] = f"{mapping[name]}, {value}" if name in mapping else value
    return mapping


def schema() -> dict[str, Any]:
    """Return the JSON Schema of ``ragauge.toml``, by which editors complete and check it."""
    text, texts = {"type": "string"}, {"type": "object", "additionalProperties": {"type": "string"}}
    several = {"anyOf": [text, {"type": "array", "items": text}]}
    numbers = {"type": "object", "additionalProperties": {"type": "number"}}
    number, count, share = {"type": "number"}, {"type": "integer"}, {"type": ["string", "number"]}
    kinds: dict[Kind, dict[str, Any]] = {
        "text": text, "texts": several, "number": number, "count": count, "path": text,
        "cores": {"anyOf": [count, {"const": "all"}]},
    }  # fmt: skip
    score = {key.name: {**kinds[key.kind], "description": key.help} for key in KEYS}
    gate = {
        "baseline": {**text, "description": "the run that max-drop compares with"},
        "min": {**numbers, "description": "metric -> the least value it must have"},
        "max": {**numbers, "description": "metric -> the greatest value it may have, where lower is better"},
        "max-drop": {**numbers, "description": "metric -> how much worse than the baseline it may be"},
        "max-failed": {**share, "description": "share that may have failed or be missing"},
        "min-scored": {**count, "description": "how many samples must be scored under each metric"},
        "min-coverage": {**share, "description": "share of samples that a rule must not lose"},
        "on": {**text, "description": "the column that pairs samples with the baseline's"},
        "confident": {"type": "boolean", "description": "check intervals, so that noise does not fail a run"},
    }
    reported = {
        "primary": {**several, "description": "the metrics that verdicts rest on, at most five; by default chosen"},
        "project": {**text, "description": "the name that reports begin with"},
    }
    tables = {
        "report": {"type": "object", "properties": reported, "additionalProperties": False},
        "score": {"type": "object", "properties": score, "additionalProperties": False},
        "map": {**texts, "description": "known column -> its name in the data"},
        "split": {**texts, "description": "column of texts -> the separator of the texts in a field"},
        "gate": {"type": "object", "properties": gate, "additionalProperties": False},
    }
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "ragauge.toml",
        "type": "object",
        "properties": tables,
        "additionalProperties": False,
    }
