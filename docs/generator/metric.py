"""The page of one metric."""

from __future__ import annotations

import math
import re
from dataclasses import MISSING
from functools import cache
from pathlib import Path
from typing import get_args, get_type_hints

from docs.generator.docstrings import Docstring, docstring_of
from docs.generator.tables import NOTE, option_table, paragraphs, preset_table, section, table
from ragauge.core.options import default_of, option_fields
from ragauge.core.protocol import Metric
from ragauge.core.registry import Entry, entries, make_ingredient
from ragauge.core.spec import write
from ragauge.errors import UsageError
from ragauge.metrics.parse import parse

WORKED = Path(__file__).parents[1] / "worked"
PARITY = Path(__file__).parents[2] / "tests" / "parity"

# What cannot be made, or is not asked for, by its name alone.
_ASKED = {
    "column": "column:name=latency,direction=lower",
    "bertscore": "bertscore:model=bert-base-multilingual-cased",
    "comet": "comet:model=models/wmt22-comet-da",
}
_JUDGED = {"judged-rubric": 'judged-rubric:criteria="polite and short"'}
_SERVER = "http://localhost:11434/v1"
_OF_JUDGES = "ragauge.metrics.judged."
_AT = {"k": "10", "order": "2", "recall": "0.5"}


def page(entry: Entry) -> str:
    """Write the page of a metric from its docstring, its fields and its worked example."""
    said = docstring_of(entry.cls)
    absent = [label for label in ("Unit and range", "undefined", "Not for", "Source") if label not in said.labelled]
    if absent or not said.formula:
        lacking = ", ".join([f"'{label}:'" for label in (*absent, *(() if said.formula else ("Formula",)))])
        raise UsageError(f"the docstring of {entry.name} must have {lacking}. Add it in {_file(entry.cls)}.")
    example = WORKED / f"{entry.name}.md"
    worked = example.read_text(encoding="utf-8").strip() if example.exists() else ""
    return paragraphs(
        [
            NOTE.format(source=f"the docstring in `{_file(entry.cls)}` and `docs/worked/{entry.name}.md`"),
            f"# {entry.name}",
            said.summary,
            _facts(entry, said),
            section("Definition", _formula(said), _more(said), *said.prose, _labelled(said, "Passages"), *_parts(said)),
            section("What has no score", *_without_score(entry, said)),
            section("Worked example", worked),
            section("When not to use it", _linked(_upper("Not for " + said.labelled["Not for"]), entry.name)),
            section("What it equals", said.labelled["Source"], _checked(entry), *_deviations(said)),
            _options(entry),
        ]
    )


def _facts(entry: Entry, said: Docstring) -> str:
    asked = (_ASKED | _JUDGED).get(entry.name, entry.name)
    metric = parse(asked, {"judge": make_ingredient("judge", f"chat[url={_SERVER},model=qwen3]")})
    better = "" if entry.name == "column" else f"; {metric.direction} is better"
    rows = [
        ("range", f"{_range(metric)}{better}"),
        ("unit", _upper(_unit(said)[0])),
        ("measures", metric.stage),
        ("reads", _needs(entry, metric)),
        ("over samples", _average(entry, metric)),
        ("ask for", ", ".join(f"`{spec}`" for spec in _specs(entry, asked))),
        ("also called", ", ".join(f"`{name}`" for name in _aliases(entry.name))),
    ]
    return paragraphs([table(rows[0], [row for row in rows[1:] if row[1]]), _command(entry, metric, asked)]).rstrip()


def _command(entry: Entry, metric: Metric, asked: str) -> str:
    spec = asked if entry.at != "k" else f"{asked}@{_AT['k']}"
    judge = f" --judge {_SERVER} --judge-model qwen3" if entry.cls.__module__.startswith(_OF_JUDGES) else ""
    mark = ["<!-- not run: it needs a model -->"] if entry.name in ("bertscore", "comet") or judge else []
    shown = f"'{spec}'" if '"' in spec else spec
    by_subtopic = any("subtopics" in way for way in metric.needs)
    data = "--run bm25.trec --qrels subtopics.txt" if by_subtopic else "answers.jsonl"
    return "\n".join([*mark, "```sh", f"ragauge score {data} -m {shown}{judge}", "```"])


def _specs(entry: Entry, asked: str) -> list[str]:
    at = [f"{entry.name}@{_at(entry)}"] if entry.at else []
    variants = [name for name, found in entries("metric").items() if found.cls is entry.cls and found.fixed]
    return [asked, *at, *variants]


def _at(entry: Entry) -> str:
    """Return an example of the value after ``@``: one of those above, else the default."""
    default = next(default_of(field) for field in option_fields(entry.cls) if field.name == entry.at)
    if entry.at not in _AT and default in (None, MISSING):
        raise UsageError(f"{entry.name}@... needs an example. Add a value of option {entry.at!r} to _AT in {__file__}.")
    return _AT.get(str(entry.at)) or write(default)


def _range(metric: Metric) -> str:
    low, high = metric.range
    if math.isinf(low):
        return "that of the column" if hasattr(metric, "name") else "that of the model"
    return f"{low:g} and up" if math.isinf(high) else f"{low:g} to {high:g}"


def _needs(entry: Entry, metric: Metric) -> str:
    if entry.name == "column":
        return "the column that `name` names"
    return ", or ".join(" and ".join(f"`{name}`" for name in names) for names in metric.needs)


def _average(entry: Entry, metric: Metric) -> str:
    words = {"samples": "mean of the samples' scores", "pooled": "score of the summed counts"}
    other = "pooled" if metric.average == "samples" else "samples"
    named = "average" in {field.name for field in option_fields(entry.cls)}
    if not named or other not in get_args(get_type_hints(entry.cls)["average"]):
        return words[metric.average]
    return f"{words[metric.average]}; `average={other}`: {words[other]}"


def _unit(said: Docstring) -> tuple[str, str]:
    """Return the sentence that says the unit, and what follows it."""
    unit, _, more = said.labelled["Unit and range"].partition(". ")
    return unit.rstrip("."), more


def _more(said: Docstring) -> str:
    return _unit(said)[1]


def _formula(said: Docstring) -> str:
    return f"```text\n{said.formula}\n```"


def _labelled(said: Docstring, label: str) -> str:
    return f"{label}: {said.labelled[label]}" if label in said.labelled else ""


def _parts(said: Docstring) -> list[str]:
    parts = {label: text for label, text in said.labelled.items() if label.startswith("Part")}
    return [re.sub(r"^Part (\w+)", r"Part `\1`", label) + f": {text}" for label, text in parts.items()]


def _without_score(entry: Entry, said: Docstring) -> list[str]:
    marks = {name: said.labelled.get(name) for name in ("undefined", "failed")}
    lines = [f"- `{name}`: {text}" for name, text in marks.items() if text]
    options = {field.name for field in option_fields(entry.cls)}
    zero = "Such a sample counts as 0, and the score says how many do; `undefined=skip` leaves them out of the mean."
    said_zero = [zero] if "undefined" in options and said.labelled["undefined"] != "never." else []
    return ["\n".join(lines), *said_zero, "What the statuses mean: [coverage](../concepts/coverage.md)."]


def _checked(entry: Entry) -> str:
    """Name the parity tests that ask for the metric, under any of its names."""
    names = "|".join(re.escape(name) for name, found in entries("metric").items() if found.cls is entry.cls)
    tests = [
        path for path in sorted(PARITY.glob("test_*.py")) if re.search(rf'"({names})[@:"]', path.read_text("utf-8"))
    ]
    return f"Checked by {', '.join(f'`tests/parity/{path.name}`' for path in tests)}." if tests else ""


def _deviations(said: Docstring) -> list[str]:
    found = {label: text for label, text in said.labelled.items() if label.startswith("Deviation")}
    return [f"**{label}:** {text}" for label, text in found.items()] or ["**Deviations:** none known."]


def _options(entry: Entry) -> str:
    """Write the options: those of the metric itself first, then those that it shares with others of its kind."""
    names = [field.name for field in option_fields(entry.cls)]
    inherited = {name for base in entry.cls.__mro__[1:] for name in vars(base).get("__annotations__", ())}
    own = [name for name in names if name not in inherited]
    shared = [name for name in names if name not in own]
    tables = [option_table(entry.cls, own), option_table(entry.cls, shared) if shared else ""]
    between = "Shared with other metrics of its kind:" if own and shared else ""
    return section("Options", tables[0] if own else "", between, tables[1], preset_table(entry.compat))


def _linked(text: str, name: str) -> str:
    """Lead from the names of other metrics to their pages."""

    def link(found: re.Match[str]) -> str:
        other = found[1].partition("@")[0]
        return f"[`{found[1]}`]({other}.md)" if other in _with_a_page() and other != name else found[0]

    return re.sub(r"`([a-z0-9+-]+(?:@\w+)?)`", link, text)


@cache
def _with_a_page() -> frozenset[str]:
    return frozenset(name for name, entry in entries("metric").items() if not entry.alias_of and not entry.fixed)


def _aliases(name: str) -> list[str]:
    return [alias for alias, entry in entries("metric").items() if entry.alias_of == name]


def _file(cls: type) -> str:
    return f"src/{cls.__module__.replace('.', '/')}.py"


def _upper(text: str) -> str:
    return text[:1].upper() + text[1:]
