"""A user's code under ``mypy --strict``: what is right passes, what is mistyped is refused."""

from __future__ import annotations

from pathlib import Path

import pytest

api = pytest.importorskip("mypy.api", reason="type checks need mypy")

TYPOS = (
    ("ragauge.evalute([])", 'Module has no attribute "evalute"'),
    ("ragauge.metrics.Blue()", 'Module has no attribute "Blue"'),
    ("ragauge.tokenizers.gte('zh')", 'Module has no attribute "gte"'),
    ("ragauge.evaluate([], metric='bleu')", "Unexpected keyword argument"),
    ("ragauge.evaluate([], 1.0)", "incompatible type"),
    ("ragauge.evaluate([], 'bleu')['bleu'].valeu", 'has no attribute "valeu"'),
    ("ragauge.score('bleu') + ''", "Unsupported operand types"),
    ("ragauge.metrics.Ndcg(at=10)", "Unexpected keyword argument"),
    ("ragauge.metrics.Ndcg(gain='exponential')", "incompatible type"),
    ("ragauge.metrics.RougeL(tokenizer=1)", 'expected "Tokenizer | str"'),
    ("ragauge.metric(stage='generate')", "No overload variant"),
    ("ragauge.gate('run', min_='x')", "Unexpected keyword argument"),
)


@pytest.fixture(scope="module")
def complaints(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[str]]:
    """Return the messages of one run of mypy by file and line, as ``typos.py:3``."""
    folder = tmp_path_factory.mktemp("typed")
    used, mistyped = folder / "used.py", folder / "typos.py"
    used.write_text((Path(__file__).parent / "use.py").read_text(encoding="utf-8"), encoding="utf-8")
    mistyped.write_text("import ragauge\n" + "".join(f"{code}\n" for code, _ in TYPOS), encoding="utf-8")
    said, trouble, _ = api.run(["--strict", "--no-error-summary", "--show-error-codes", str(used), str(mistyped)])
    assert not trouble
    messages: dict[str, list[str]] = {}
    for line in said.splitlines():
        place, _, message = line.partition(": ")
        messages.setdefault(Path(place).name, []).append(message)
    return messages


def test_what_users_and_authors_write_is_accepted(complaints: dict[str, list[str]]) -> None:
    assert {place: said for place, said in complaints.items() if not place.startswith("typos")} == {}


@pytest.mark.parametrize("line", range(len(TYPOS)), ids=[code for code, _ in TYPOS])
def test_what_is_mistyped_is_refused(complaints: dict[str, list[str]], line: int) -> None:
    assert TYPOS[line][1] in " ".join(complaints.get(f"typos.py:{line + 2}", []))
