"""The page of one metric."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from dataclasses import MISSING
from functools import cache
from pathlib import Path
from typing import get_args, get_type_hints

from docs.generator.docstrings import Docstring, docstring_of
from docs.generator.language import ENGLISH, Language
from docs.generator.tables import NOTE, option_table, paragraphs, preset_table, section, table
from ragauge.core.options import default_of, option_fields
from ragauge.core.protocol import Metric
from ragauge.core.registry import Entry, entries, make_ingredient
from ragauge.core.spec import write
from ragauge.errors import UsageError
from ragauge.metrics.column import Column
from ragauge.metrics.parse import parse

Say = Callable[..., str]
"""`Language.say`."""
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


def page(entry: Entry, language: Language = ENGLISH) -> str:
    """Write the page of a metric from its docstring, its fields and its worked example."""
    said, say = docstring_of(entry.cls), language.say
    absent = [label for label in ("Unit and range", "undefined", "Not for", "Source") if label not in said.labelled]
    if absent or not said.formula:
        lacking = ", ".join([f"'{label}:'" for label in (*absent, *(() if said.formula else ("Formula",)))])
        raise UsageError(f"the docstring of {entry.name} must have {lacking}. Add it in {_file(entry.cls)}.")
    example = WORKED / f"{entry.name}.md"
    worked = language.worked(example.read_text(encoding="utf-8")) if example.exists() else ""
    definition = [_formula(said), say(_more(said)), *map(say, said.prose), _passages(said, say), *_parts(said, say)]
    not_for = _linked(say("Not for {what}", what=say(said.labelled["Not for"])), entry.name)
    written = paragraphs(
        [
            NOTE.format(source=f"the docstring in `{_file(entry.cls)}` and `docs/worked/{entry.name}.md`"),
            f"# {entry.name}",
            _ended(say(said.summary)),
            _facts(entry, said, say),
            section(say("Definition"), *definition),
            section(say("What has no score"), *_without_score(entry, said, say)),
            section(say("Worked example"), worked),
            section(say("When not to use it"), not_for),
            section(say("What it equals"), say(said.labelled["Source"]), _checked(entry, say), *_deviations(said, say)),
            _options(entry, language),
        ]
    )
    return language.linked(written, path(entry, language))


def _ended(sentence: str) -> str:
    """End a summary, which in Chinese often has no mark, as a sentence."""
    return sentence if sentence.endswith((".", "。")) else f"{sentence}。"


def path(entry: Entry, language: Language = ENGLISH) -> str:
    """Return where the page of a metric lies below ``docs``."""
    return f"{'' if language.tag == 'en' else f'{language.tag}/'}metrics/{entry.name}.md"


def _facts(entry: Entry, said: Docstring, say: Say) -> str:
    asked = (_ASKED | _JUDGED).get(entry.name, entry.name)
    metric = parse(asked, {"judge": make_ingredient("judge", f"chat[url={_SERVER},model=qwen3]")})
    better = "" if entry.name == "column" else say(f"; {metric.direction} is better")
    rows = [
        (say("range"), f"{_range(metric, say)}{better}"),
        (say("unit"), _upper(say(_unit(said)[0]))),
        (say("measures"), say(metric.stage)),
        (say("reads"), _needs(entry, metric, say)),
        (say("over samples"), _average(entry, metric, say)),
        (say("ask for"), say(", ").join(f"`{spec}`" for spec in _specs(entry, asked))),
        (say("also called"), say(", ").join(f"`{name}`" for name in _aliases(entry.name))),
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


def _range(metric: Metric, say: Say) -> str:
    low, high = metric.range
    if math.isinf(low):
        return say("that of the column" if isinstance(metric, Column) else "no fixed ends")
    return (
        say("{low} and up", low=f"{low:g}")
        if math.isinf(high)
        else say("{low} to {high}", low=f"{low:g}", high=f"{high:g}")
    )


def _needs(entry: Entry, metric: Metric, say: Say) -> str:
    if entry.name == "column":
        return say("the column that `name` names")
    return say(", or ").join(say(" and ").join(f"`{name}`" for name in names) for names in metric.needs)


def _average(entry: Entry, metric: Metric, say: Say) -> str:
    words = {"samples": say("mean of the samples' scores"), "pooled": say("score of the summed counts")}
    other = "pooled" if metric.average == "samples" else "samples"
    named = "average" in {field.name for field in option_fields(entry.cls)}
    if not named or other not in get_args(get_type_hints(entry.cls)["average"]):
        return words[metric.average]
    return say("{usual}; `average={other}`: {then}", usual=words[metric.average], other=other, then=words[other])


def _unit(said: Docstring) -> tuple[str, str]:
    """Return the sentence that says the unit, and what follows it."""
    unit, _, more = said.labelled["Unit and range"].partition(". ")
    return unit.rstrip("."), more


def _more(said: Docstring) -> str:
    return _unit(said)[1]


def _formula(said: Docstring) -> str:
    return f"```text\n{said.formula}\n```"


def _passages(said: Docstring, say: Say) -> str:
    return say("Passages: {what}", what=say(said.labelled["Passages"])) if "Passages" in said.labelled else ""


def _parts(said: Docstring, say: Say) -> list[str]:
    parts = {label: text for label, text in said.labelled.items() if label.startswith("Part")}
    return [
        say("Parts: {what}", what=say(text))
        if label == "Parts"
        else say("Part `{name}`: {what}", name=label[5:], what=say(text))
        for label, text in parts.items()
    ]


def _without_score(entry: Entry, said: Docstring, say: Say) -> list[str]:
    marks = {name: said.labelled.get(name) for name in ("undefined", "failed")}
    lines = [say("- `{name}`: {what}", name=name, what=say(text)) for name, text in marks.items() if text]
    options = {field.name for field in option_fields(entry.cls)}
    zero = "Such a sample counts as 0, and the score says how many do; `undefined=skip` leaves them out of the mean."
    said_zero = [say(zero)] if "undefined" in options and said.labelled["undefined"] != "never." else []
    return ["\n".join(lines), *said_zero, say("What the statuses mean: [coverage](../concepts/coverage.md).")]


def _checked(entry: Entry, say: Say) -> str:
    """Name the parity tests that ask for the metric, under any of its names."""
    names = "|".join(re.escape(name) for name, found in entries("metric").items() if found.cls is entry.cls)
    tests = [name for name, text in _parity_tests() if re.search(rf'"({names})[@:"]', text)]
    shown = say(", ").join(f"`tests/parity/{name}`" for name in tests)
    return say("Checked by {tests}.", tests=shown) if tests else ""


@cache
def _parity_tests() -> list[tuple[str, str]]:
    return [(path.name, path.read_text("utf-8")) for path in sorted(PARITY.glob("test_*.py"))]


def _deviations(said: Docstring, say: Say) -> list[str]:
    found = {label: text for label, text in said.labelled.items() if label.startswith("Deviation")}
    return [f"**{say(label + ':')}** {say(text)}" for label, text in found.items()] or [
        say("**Deviations:** none known.")
    ]


def _options(entry: Entry, language: Language) -> str:
    """Write the options: those of the metric itself first, then those that it shares with others of its kind."""
    say = language.say
    names = [field.name for field in option_fields(entry.cls)]
    inherited = {name for base in entry.cls.__mro__[1:] for name in vars(base).get("__annotations__", ())}
    own = [name for name in names if name not in inherited]
    shared = [name for name in names if name not in own]
    tables = [option_table(entry.cls, own, language), option_table(entry.cls, shared, language) if shared else ""]
    between = say("Shared with other metrics of its kind:") if own and shared else ""
    return section(say("Options"), tables[0] if own else "", between, tables[1], preset_table(entry.compat, language))


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
