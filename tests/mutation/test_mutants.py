"""The mutator changes what it says, in the place that it says, and nothing that does not run."""

from __future__ import annotations

import tomllib
from pathlib import Path

from tests.mutation.mutants import choose, files_matching, functions_at, mutants_of, name_of
from tests.mutation.running import stages_of

SOURCE = '''"""Ä docstring with 1 and True."""
from typing import TYPE_CHECKING
if TYPE_CHECKING:
    import os
LIMIT = 10

def f(a: int | None, b=2):
    """Return 3."""
    if a < b and not a:
        raise ValueError(f"{a + 1} é")
    a += 1
    print("é", a == LIMIT, *zip((), (), strict=True))
    return a

class Options(TypedDict, total=False): ...
'''.encode()


def mutated(source: bytes) -> set[str]:
    before = source.decode().splitlines()
    texts = [mutant.apply(source).decode().splitlines() for mutant in mutants_of("a.py", source)]
    return {new for text in texts for old, new in zip(before, text, strict=True) if old != new}


def test_every_kind_of_change() -> None:
    assert {line.strip() for line in mutated(SOURCE)} == {
        "LIMIT = 11",
        "def f(a: int | None, b=3):",
        "if a <= b and not a:",
        "if a < b or not a:",
        "if a < b and a:",
        "if not (a < b and not a):",
        "pass",
        "a += 2",
        'print("é", a != LIMIT, *zip((), (), strict=True))',
        "return None",
    }


def test_scripts_change_by_patterns_outside_of_comments() -> None:
    script = b"// 1 === 2\nif (a === b && c <= 3) return true;\n"
    lines = {mutant.apply(script).decode().splitlines()[1] for mutant in mutants_of("a.js", script)}
    assert "if (a !== b && c <= 3) return true;" in lines
    assert "if (a === b || c <= 3) return true;" in lines
    assert "if (a === b && c <= 4) return true;" in lines
    assert all(b"// 1 === 2\n" in mutant.apply(script) for mutant in mutants_of("a.js", script))


def test_templates_lose_conditions_outputs_and_attributes() -> None:
    template = b'{% if names | length > 1 %}<b class="x">{{ one.two }}</b>{% endif %}{# if 1 == 1 #}'
    assert {mutant.apply(template).decode() for mutant in mutants_of("a.html.j2", template)} == {
        '{% if not (names | length > 1) %}<b class="x">{{ one.two }}</b>{% endif %}{# if 1 == 1 #}',
        '{% if names | length >= 1 %}<b class="x">{{ one.two }}</b>{% endif %}{# if 1 == 1 #}',
        '{% if names | length > 2 %}<b class="x">{{ one.two }}</b>{% endif %}{# if 1 == 1 #}',
        '{% if names | length > 1 %}<b data-mutant="x">{{ one.two }}</b>{% endif %}{# if 1 == 1 #}',
        '{% if names | length > 1 %}<b class="x"></b>{% endif %}{# if 1 == 1 #}',
    }


def test_style_sheets_and_engines_of_clusters_stay_as_they_are() -> None:
    template = b"<b>{{ one.two }}</b><style>\n.row {border: 0}\n</style>"
    assert [mutant.apply(template) for mutant in mutants_of("a.html.j2", template)] == [
        b"<b></b><style>\n.row {border: 0}\n</style>"
    ]
    root = Path(__file__).parents[2]
    found = files_matching(root, ["src/ragauge/engines/**/*"])
    assert {Path(name).name for name in found}.isdisjoint({"ray.py", "spark.py"})
    assert "src/ragauge/engines/part.py" in found


def test_a_file_without_functions_is_reached_by_the_tests_of_its_folder() -> None:
    source = b"class Kind:\n    WORD = 0\n"
    [mutant] = mutants_of("src/ragauge/grounding/kinds.py", source)
    reached = {
        f"tests/{name}.py::test": {"seconds": 0.1, "functions": [f"src/ragauge/{name}.py:f"]}
        for name in ("grounding/test_kinds", "grounding2/test_kinds", "core/test_batch")
    }
    [stage] = stages_of(mutant, source, reached)
    assert stage.tests == ["tests/grounding/test_kinds.py::test"]


def test_calls_of_scripts_are_removed() -> None:
    script = b"function f() {\n  this.list();\n  return !a.b;\n}\n"
    lines = {line for mutant in mutants_of("a.js", script) for line in mutant.apply(script).decode().splitlines()}
    assert {"  ;", "  return a.b;", "  return null;"} <= lines


def test_chosen_mutants_are_spread_by_lines_and_the_same_for_a_seed() -> None:
    texts = {"a.py": SOURCE}
    found = list(mutants_of("a.py", SOURCE))
    chosen = choose(found, texts, 6, seed=1)
    assert len({mutant.line(SOURCE) for mutant in chosen}) == 6
    assert chosen == choose(found, texts, 6, seed=1)


def test_functions_of_a_line() -> None:
    assert functions_at(SOURCE, 11) == {"f"}
    assert functions_at(SOURCE, 5) == set()
    nested = b"class A:\n    @old\n    def f(self, b=1):\n        return [lambda: 1 for _ in b]\n    limit = 3\n"
    assert functions_at(nested, 3) == functions_at(nested, 2) == {"A.f"}
    assert functions_at(nested, 4) == {"A.f", "A.f.<lambda>"}
    assert functions_at(nested, 5) == set()
    assert name_of("A.f.<locals>.<listcomp>.<locals>.<lambda>") == "A.f.<lambda>"
    assert name_of("A.f.<locals>.<genexpr>") == "A.f"


def test_equivalent_mutants_are_still_in_the_code() -> None:
    root = Path(__file__).parents[2]
    listed = tomllib.loads(Path(__file__).with_name("equivalent.toml").read_text("utf-8"))["mutant"]
    sources = {one["file"]: (root / one["file"]) for one in listed}
    texts = {name: path.read_text("utf-8") if path.exists() else "" for name, path in sources.items()}
    assert [one for one in listed if one["line"] not in texts[one["file"]]] == [], (
        "gone: name its file of now, or take it off"
    )
    assert all(one["why"] for one in listed)
