"""Change the code in small ways and print the changes that no test notices.

    python -m tests.mutation --files 'src/ragauge/metrics/**' --mutants 300 --seed 1

The first run records which test calls which function; later ones do so for files of tests that changed. Outcomes
are kept in ``--state``: a run that was stopped goes on, and ``--survivors`` runs again what survived other tests, with
``--seconds 600`` as good as all that reach it. A test that fails without a change has noticed nothing.
Mutants that change nothing that can be seen stand in equivalent.toml, with the reason.
"""

from __future__ import annotations

import argparse
import difflib
import json
import os
import sys
import tomllib
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tests.mutation.mutants import Mutant, choose, files_matching, mutants_of
from tests.mutation.reach import Reached
from tests.mutation.running import TESTS_AT_MOST, TRACED, Outcome, Trees, import_libraries, stages_of

ROOT = Path(__file__).parents[2]
ROOMS = [f"src/ragauge/{room}/**/*" for room in ("metrics", "inference", "formats", "comparison", "gates", "reports")]
EQUIVALENT = Path(__file__).with_name("equivalent.toml")


def main(arguments: list[str] | None = None) -> int:
    """Run mutants, print survivors and the rate; return 1 below ``--at-least``."""
    asked = _arguments(arguments)
    texts = {file: (ROOT / file).read_bytes() for file in files_matching(ROOT, asked.files or ROOMS)}
    if not texts:
        sys.exit(f"no file matches {asked.files}")
    known = _equivalent()
    found = (mutant for file, text in texts.items() for mutant in mutants_of(file, text))
    mutants = [m for m in choose(found, texts, asked.mutants, asked.seed) if _lines(m, texts[m.file]) not in known]
    state = asked.state.resolve()
    log = state / "outcomes.jsonl"
    outcomes = _outcomes(log, survivors=not asked.survivors)
    trees = Trees(ROOT, state)
    trees.refresh()
    import_libraries()
    reached = trees.reached(asked.tests or TRACED, asked.record, asked.processes)
    left = [mutant for mutant in mutants if mutant.key(texts[mutant.file]) not in outcomes]
    queue = _queue(len(left))
    children = []
    for share in range(min(asked.processes, len(left))):
        if not (child := os.fork()):
            _run(left, queue, texts, reached, Trees(ROOT, state, f"tree-{share}"), log, asked.seconds)
            os._exit(0)
        children.append(child)
    for child in children:
        os.waitpid(child, 0)
    outcomes |= _outcomes(log, survivors=True)
    drawn = _noticed({mutant: outcomes[mutant.key(texts[mutant.file])] for mutant in mutants}, trees, reached)
    for mutant, outcome in drawn.items():
        if outcome.result.startswith("survived"):
            print("".join(_diff(mutant, texts[mutant.file])))
    return _summary(drawn, asked.at_least)


def _queue(n: int) -> int:
    """Return a pipe with the numbers below ``n``, of which each process takes the next one."""
    out, into = os.pipe()
    os.write(into, b"".join(number.to_bytes(4, "big") for number in range(n)))
    os.close(into)
    return out


def _run(
    mutants: list[Mutant],
    queue: int,
    texts: dict[str, bytes],
    reached: Reached,
    trees: Trees,
    log: Path,
    at_most: float,
) -> None:
    """Run the tests of mutants until the queue is empty, and write what became of each."""
    trees.refresh()
    while taken := os.read(queue, 4):
        mutant = mutants[number := int.from_bytes(taken, "big")]
        text = texts[mutant.file]
        outcome = trees.run(mutant, stages_of(mutant, text, reached, at_most))
        line = {"key": mutant.key(text), "file": mutant.file, "line": mutant.line(text), **outcome._asdict()}
        with log.open("a", encoding="utf-8") as out:
            out.write(json.dumps(line) + "\n")
        place = f"{mutant.file}:{mutant.line(text)}"
        print(f"{number + 1}/{len(mutants)} {outcome.result}: {place} ({mutant.kind})", flush=True)


def _noticed(outcomes: dict[Mutant, Outcome], trees: Trees, reached: Reached) -> dict[Mutant, Outcome]:
    """Return the outcomes; where the test that failed also fails without the change, the mutant survived."""
    by = {outcome.by for outcome in outcomes.values()} & reached.keys()
    failing = trees.failing(sorted(by))
    for test in sorted(failing):
        print(f"fails without a change: {test}")
    survived = "survived (its test fails without it)"
    return {
        mutant: outcome._replace(result=survived) if outcome.by in failing else outcome
        for mutant, outcome in outcomes.items()
    }


def _summary(outcomes: dict[Mutant, Outcome], at_least: float) -> int:
    """Print the rate of each room and kind of file, and of all; return 1 below ``at_least``."""
    of_rooms: dict[str, list[bool]] = defaultdict(list)
    for mutant, outcome in outcomes.items():
        room = mutant.file.removeprefix("src/ragauge/").partition("/")[0]
        of_rooms[f"{room} ({mutant.file.rpartition('.')[2]})"].append(outcome.result.startswith("killed"))
    for room, killed in sorted(of_rooms.items()):
        print(f"{room}: {sum(killed)} of {len(killed)}")
    found = [killed for room in of_rooms.values() for killed in room]
    rate = 100 * sum(found) / max(1, len(found))
    print(f"{sum(found)} of {len(found)} mutants killed: {rate:.1f} %")
    return int(rate < at_least)


def _arguments(arguments: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.mutation", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--files", action="append", help="pattern of files below the root; default: six rooms")
    parser.add_argument("--mutants", type=int, default=300)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--state", type=Path, default=ROOT / "build" / "mutation", help="folder of what is known")
    parser.add_argument("--processes", type=int, default=1)
    parser.add_argument(
        "--record",
        choices=("changed", "all", "none"),
        default="changed",
        help="record again which test calls which function; default: of files of tests that changed",
    )
    parser.add_argument("--tests", nargs="+", metavar="PATH", help="what is recorded; default: almost all")
    parser.add_argument(
        "--seconds", type=float, default=TESTS_AT_MOST, help="tests for one mutant, in seconds; default: 60"
    )
    parser.add_argument("--survivors", action="store_true", help="run again what survived before")
    parser.add_argument("--at-least", type=float, default=0.0, metavar="PERCENT", help="exit 1 below this rate")
    return parser.parse_args(arguments)


def _outcomes(log: Path, *, survivors: bool) -> dict[str, Outcome]:
    """Return what is known from earlier runs."""
    log.parent.mkdir(parents=True, exist_ok=True)
    lines = [json.loads(line) for line in log.read_text(encoding="utf-8").splitlines()] if log.exists() else []
    known: dict[str, Any] = {line["key"]: Outcome(*(line[name] for name in Outcome._fields)) for line in lines}
    return {key: outcome for key, outcome in known.items() if survivors or not outcome.result.startswith("survived")}


def _equivalent() -> set[tuple[str, str, str]]:
    listed = tomllib.loads(EQUIVALENT.read_text(encoding="utf-8")).get("mutant", [])
    return {(one["file"], one["line"].strip(), one["mutant"].strip()) for one in listed}


def _lines(mutant: Mutant, text: bytes) -> tuple[str, str, str]:
    """Return the file, the changed line, and what it became."""
    at = mutant.line(text) - 1
    before, after = text.decode().splitlines(), mutant.apply(text).decode().splitlines()
    return mutant.file, before[at].strip(), after[at].strip()


def _diff(mutant: Mutant, text: bytes) -> Iterator[str]:
    before, after = (one.decode().splitlines(keepends=True) for one in (text, mutant.apply(text)))
    return difflib.unified_diff(before, after, mutant.file, mutant.file, n=1)


if __name__ == "__main__":
    sys.exit(main())
