"""Metrics by name: finding, naming and refusing them."""

from __future__ import annotations

import pkgutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any, ClassVar

import pytest

import ragauge
from ragauge.core import names, registry
from ragauge.core.names import HOMES, KINDS
from ragauge.core.registry import entries, ingredient, lookup, make_ingredient, register
from ragauge.errors import OptionError, UnknownNameError, UsageError
from ragauge.formats import file_formats
from ragauge.metrics import other_names
from ragauge.metrics.parse import parse
from ragauge.metrics.retrieval.ndcg import Ndcg
from tests.approved import pattern
from tests.metrics.judged.toys import ScriptedJudge, options_of

pytestmark = pytest.mark.usefixtures("registered")


def test_every_name_makes_a_metric_whose_text_makes_it_again() -> None:
    with_what_they_need = {"column": "column:name=x", "bertscore": "bertscore:model=m", "comet": "comet:model=m"}
    for name, entry in entries("metric").items():
        metric = parse(with_what_they_need.get(name, options_of(entry.alias_of or name)))
        assert parse(str(metric)) == metric


def test_an_alias_is_written_by_its_name_and_a_variant_by_its_own() -> None:
    assert str(parse("success@5")) == "hit-rate@5"
    for name, entry in entries("metric").items():
        if entry.fixed:
            options = {"judge": ScriptedJudge(lambda *_: "")} if name.startswith("judged-") else {}
            assert str(parse(name, options)).partition(":")[0] == name


def test_names_are_sorted_and_unknown_ones_refused() -> None:
    assert list(entries("metric")) == sorted(entries("metric"))
    with pytest.raises(UnknownNameError, match=pattern("core.unknown_metric_mmr_did_you_mean_mrr")):
        lookup("metric", "mmr")
    with pytest.raises(UnknownNameError, match=r"'csv' is not a writer: ragauge score RUN --output-format csv writes"):
        lookup("writer", "csv[path=scores.csv]")
    with pytest.raises(UnknownNameError, match="unknown writer 'excel'; did you mean xlsx"):
        lookup("writer", "excel")
    with pytest.raises(UnknownNameError, match=r"unknown tokenizer 'xyzzy'; available: .*auto"):
        make_ingredient("tokenizer", "xyzzy")


def test_a_new_metric_takes_options_aliases_variants_and_presets() -> None:
    @register("toy", at="k", aliases=["plaything"], variants={"toy-9": {"k": "9"}}, compat={"old": {"mode": "b"}})
    @dataclass(frozen=True)
    class Toy:
        """A toy."""

        k: int = 1
        mode: str = "a"

        average, stage, direction, range, revision = "samples", "generation", "higher", (0.0, 1.0), 1
        needs: ClassVar = (("answer",),)
        measure: ClassVar = None
        score: ClassVar = None

    made: Callable[[str], Any] = parse
    assert made("toy@3") == made("toy:k=3") == Toy(3)
    assert made("plaything@3") == Toy(3)
    assert made("toy-9") == Toy(9)
    assert str(Toy(9)) == "toy-9"
    assert str(Toy(9, "b")) == "toy-9:mode=b"
    assert made("toy:compat=old") == Toy(1, "b")
    assert made("toy:compat=old,mode=c") == Toy(1, "c")


def test_two_classes_cannot_have_one_name() -> None:
    with pytest.raises(UsageError, match=r"two metrics are named 'ndcg': .*ndcg.py:19 and .*Other.*. Rename "):
        register("ndcg")(type("Other", (), {}))


def test_a_subclass_that_is_not_registered_is_named_after_its_class() -> None:
    class Mine(Ndcg):
        """Ours, changed."""

    assert str(Mine(k=3)) == "Mine:k=3"


def broken(group: str) -> list[Any]:
    return [EntryPoint("theirs", "no_such_package.metrics", group)] if group == "ragauge.metrics" else []


def test_a_package_that_cannot_be_loaded_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.metadata.entry_points", broken)
    names.load_plugins.cache_clear()
    try:
        assert str(parse("ndcg")) == "ndcg"
        for ask in (lambda: parse("theirs"), lambda: entries("metric")):
            with pytest.raises(UsageError, match=pattern("core.the_package_that_provides_no_such_package")):
                ask()
    finally:
        names.load_plugins.cache_clear()


def test_every_registered_name_is_in_the_table_of_modules() -> None:
    """A name that is missing there is found by reading all sources; one too many cannot be imported."""
    for found in pkgutil.walk_packages(ragauge.__path__, "ragauge."):
        if not found.name.endswith("__main__"):
            import_module(found.name)
    for kind in KINDS:
        entries(kind)
    ours = {key: entry.cls.__module__ for key, entry in registry._entries.items() if _is_ours(entry)}
    # Functions that read files are kept apart from the classes.
    readers = {("format", one.name): one.read.__module__ for one in file_formats._formats.values() if one.read}
    ours |= {key: module for key, module in readers.items() if module.startswith("ragauge.")}
    assert ours == dict(HOMES), "run python -m tests.new"


def test_only_names_of_a_test_are_forgotten_after_it() -> None:
    program = """
from ragauge.core.registry import lookup
from tests.conftest import forgotten_afterwards
with forgotten_afterwards():
    lookup("writer", "junit")
lookup("writer", "junit")
"""
    subprocess.run([sys.executable, "-c", program], check=True)


def _is_ours(entry: registry.Entry) -> bool:
    return entry.cls.__module__.startswith("ragauge.") and entry.instance is None


def test_asking_for_one_metric_imports_no_other() -> None:
    program = "import sys, ragauge; ragauge.parse('ndcg@10'); print(*sorted(sys.modules))"
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    metrics = [name for name in HOMES.values() if name in ran.stdout.split() and name.startswith("ragauge.metrics.")]
    assert metrics == ["ragauge.metrics.retrieval.ndcg"]
    assert "ragauge.tokenizers.zh" not in ran.stdout


def test_what_is_registered_must_be_a_dataclass() -> None:
    with pytest.raises(UsageError, match="must be a frozen dataclass; put @dataclass"):
        register("plain")(type("Plain", (), {}))
    with pytest.raises(UsageError, match="must be a frozen dataclass"):
        register("changeable")(dataclass(type("Changeable", (), {})))


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"direction": "down"}, "'direction' of column must be higher or lower; got 'down'"),
        ({"stage": "judging"}, "'stage' of column must be retrieval, generation or end-to-end"),
        ({"low": 1.0, "high": 0.0}, "'high' of column must be a number above low=1; got 0.0"),
        ({"low": 1.0, "high": 1.0}, "'high' of column must be a number above low=1; got 1.0"),
    ],
)
def test_a_column_made_in_python_is_checked_too(options: dict[str, Any], says: str) -> None:
    from ragauge.metrics.column import Column

    with pytest.raises(OptionError, match=says):
        Column(name="latency", **options)


def test_a_metric_without_its_members_is_refused_when_it_is_registered() -> None:
    @dataclass(frozen=True)
    class Half:
        """It has neither function."""

        needs: tuple[tuple[str, ...], ...]

    with pytest.raises(
        UsageError, match=r"\.py:\d+: a metric must have average, needs, .*; got no .* no measure and no score"
    ):
        register("half")(Half)
    with pytest.raises(UnknownNameError, match="unknown metric 'half'"):
        lookup("metric", "half")


def a_metric(**members: Any) -> type:
    """Return a metric that lacks nothing, but for ``members``; those with a type as value are options."""
    options = {name: hint for name, hint in members.items() if isinstance(hint, type)}
    plain: dict[str, Any] = {
        "average": "samples", "needs": (("answer",),), "stage": "generation", "direction": "higher", "range": (0, 1),
        "revision": 1, "measure": None, "score": None, "__annotations__": options,
    }  # fmt: skip
    own = {name: value for name, value in members.items() if name not in options}
    return dataclass(frozen=True)(type("Mine", (), plain | own))


@pytest.mark.parametrize("needs", ["answer", ("answer",), [["answer"]], (), ((), "answer"), None])
def test_needs_are_tuples_of_columns(needs: object) -> None:
    with pytest.raises(UsageError, match=r"must hold tuples of columns, as in \(\('answer',\),\); got "):
        register("mine")(a_metric(needs=needs))


@pytest.mark.parametrize("revision", ["1.0", 1.5, 0, True])
def test_a_revision_is_a_whole_number(revision: object) -> None:
    with pytest.raises(OptionError, match=r"'revision' of .* must be a whole number from 1; got "):
        register("mine")(a_metric(revision=revision))


@pytest.mark.parametrize(
    ("name", "spelling"),
    [("Unseen-N", "unseen-n"), ("unseen n", "unseen-n"), ("unseen_2", "unseen-2"), (" tea ", "tea")],
)
def test_names_are_in_lower_case_with_hyphens(name: str, spelling: str) -> None:
    with pytest.raises(UsageError, match=f"in lower case with hyphens; got {name!r}. Write {spelling!r}."):
        register(name)(a_metric())
    register(spelling)(a_metric())


@pytest.mark.parametrize("hint", [complex, dict])
def test_options_have_types_that_a_spec_can_hold(hint: type) -> None:
    with pytest.raises(UsageError, match=f"option 'size' must be a text, a number, .*; got the type .*{hint.__name__}"):
        register("mine")(a_metric(size=hint))
    register("mine")(a_metric(size=int))


def test_an_ingredient_has_all_that_its_kind_has() -> None:
    with pytest.raises(UsageError, match=r"test_registry\.py:\d+: a writer must have write; got no write\. Write what"):

        @ingredient("writer", "mine")
        @dataclass(frozen=True)
        class Mute: ...

    with pytest.raises(UsageError, match=r"a tokenizer must have .*; got no signature"):

        @ingredient("tokenizer", "mine")
        @dataclass(frozen=True)
        class Unsigned:
            def encode(self, texts: Any) -> Any: ...


def test_a_signature_is_a_property() -> None:
    with pytest.raises(UsageError, match=r"\.py:\d+: signature must be a property; put @property above it"):

        @ingredient("tokenizer", "mine")
        @dataclass(frozen=True)
        class Called:
            def encode(self, texts: Any) -> Any: ...

            def signature(self) -> Any: ...


def test_an_unknown_kind_of_ingredient_is_refused() -> None:
    with pytest.raises(UnknownNameError, match=pattern("core.unknown_kind_of_ingredient_embeder_did_you")):
        ingredient("embeder", "x")


@pytest.mark.parametrize("name", ["", "a@b", "a:b", "a,b", "a[b]", 5])
def test_a_name_that_cannot_stand_in_a_spec_is_refused(name: Any) -> None:
    with pytest.raises(UsageError, match="must have a name without '@', ':', ',' and brackets; got "):
        register(name)(Ndcg)


def test_what_is_no_text_is_no_spec() -> None:
    wrong: Any = 5
    with pytest.raises(UsageError, match="must be written as text, such as 'ndcg@10'; got 5"):
        parse(wrong)


@pytest.mark.parametrize("wrong", [(), ("answer",), ("answer", "references")])
def test_needs_are_alternatives_of_columns(wrong: Any) -> None:
    cls: Any = dataclass(frozen=True, kw_only=True)(type("Wrong", (Ndcg,), {"needs": wrong}))
    with pytest.raises(UsageError, match=r"must hold tuples of columns, as in \(\('answer',\),\); got \("):
        register("wrong-needs")(cls)


@pytest.mark.parametrize(
    ("member", "wrong", "allowed"),
    [
        ("average", "median", "samples or pooled"),
        ("stage", "judging", "retrieval, generation or end-to-end"),
        ("direction", "up", "higher or lower"),
        ("range", (1, 0), "two numbers, the lowest and the highest value"),
        ("range", 1, "two numbers, the lowest and the highest value"),
    ],
)
def test_what_results_show_of_a_metric_is_checked_when_it_is_registered(member: str, wrong: Any, allowed: str) -> None:
    cls: Any = dataclass(frozen=True, kw_only=True)(type("Wrong", (Ndcg,), {member: wrong}))
    with pytest.raises(OptionError, match=f"option '{member}' of .*Wrong.* must be {allowed}; got"):
        register("wrong-member")(cls)


def test_at_must_name_a_field() -> None:
    @dataclass(frozen=True)
    class Mine(Ndcg):
        pass

    with pytest.raises(UsageError, match="has no field 'order', which at names; add the field, or leave out at"):
        register("mine-at", at="order")(Mine)


def test_a_module_that_cannot_be_imported_is_named_with_its_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(tmp_path)
    sources = {"unclosed_rg": "x = 1\ndef f(:\n", "wanting_rg": "x = 1\nfrom ragauge import nothing_of_this_name\n"}
    for module, text in sources.items():
        (tmp_path / f"{module}.py").write_text(text, encoding="utf-8")
        monkeypatch.setattr(names, "HOMES", {("metric", module): module})
        with pytest.raises(
            UsageError, match=rf"{module}.py:2 cannot be imported: (SyntaxError|ImportError): .*correct"
        ):
            lookup("metric", module)


def test_a_listed_name_that_nothing_registers_any_more_is_unknown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(other_names, "HOMES", {("metric", "gone"): "ragauge.metrics.gone"})
    for text in ("gone", " gone@3 "):
        with pytest.raises(UnknownNameError, match="unknown metric 'gone'"):
            parse(text)
