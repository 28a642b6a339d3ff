"""The public face: sorted, whole, quick to import, and never hidden by a module."""

from __future__ import annotations

import ast
import pkgutil
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

import ragauge
from ragauge import errors
from ragauge.core.names import PACKAGE
from ragauge.core.registry import entries
from tests.approved import pattern
from tests.new.lists import lists

HEAVY = ("numpy", "pyarrow", "rich", "click", "regex", "rapidfuzz", "rjieba", "pandas", "urllib3")
OPTIONAL = (
    "pandas", "polars", "duckdb", "jieba", "nltk", "fugashi", "MeCab", "opencc", "pythainlp", "icu4py", "torch",
    "sentence_transformers", "sacrebleu", "rouge_score", "scipy", "pytrec_eval", "snowballstemmer", "sentencex",
)  # fmt: skip

SCORING = """
import ragauge
rows = [{"question": "q", "answer": "the tea house", "references": ["a tea house"], "contexts": ["tea"],
         "reference_contexts": ["tea"]}]
ragauge.evaluate(rows, ["bleu", "rouge-l", "ndcg", "recall"]).to_dict()
"""


def imported_by(code: str) -> set[str]:
    ask = f"import sys\n{code}\nprint(*{{name.partition('.')[0] for name in sys.modules}})"
    done = subprocess.run([sys.executable, "-c", ask], capture_output=True, text=True, check=True)
    return set(done.stdout.split())


@pytest.mark.parametrize("package", [ragauge, ragauge.metrics, ragauge.embedders], ids=lambda package: package.__name__)
def test_what_is_listed_is_there_and_nothing_else_is_shown(package: ModuleType) -> None:
    assert dir(package) == sorted(package.__all__)
    for name in package.__all__:
        assert getattr(package, name) is not None


def test_type_checkers_see_the_names_that_are_imported_at_run_time() -> None:
    """The lists that `python -m tests.new` writes are as the sources are."""
    for name, text in lists().items():
        assert (PACKAGE / name).read_text(encoding="utf-8") == text, f"{name} is old: run python -m tests.new"
    for package in (ragauge, ragauge.metrics):
        assert listed(Path(str(package.__file__)).with_suffix(".pyi")) == {*package.__all__}


def listed(stub: Path) -> set[str]:
    """Return the names that type checkers take from a stub."""
    names = [node for node in ast.parse(stub.read_text(encoding="utf-8")).body if isinstance(node, ast.Assign)]
    return set(ast.literal_eval(names[0].value))


def test_every_registered_metric_is_a_public_class() -> None:
    classes = {
        entry.cls.__name__ for entry in entries("metric").values() if entry.cls.__module__.startswith("ragauge.")
    }
    assert classes - {"FunctionMetric"} == {*ragauge.metrics.__all__} - {"FunctionMetric"}


def test_every_error_class_is_public() -> None:
    classes = {name for name, one in vars(errors).items() if isinstance(one, type) and issubclass(one, Exception)}
    assert classes <= {*ragauge.__all__}


def test_no_module_has_the_name_of_a_public_function() -> None:
    """Importing ``ragauge.x`` binds the module to ``ragauge.x``: a function of that name would be gone."""
    modules = {module.name for module in pkgutil.iter_modules(ragauge.__path__)}
    assert modules.isdisjoint({*ragauge.__all__} - {*vars(ragauge)["_SUBPACKAGES"]})


def test_functions_stay_functions_whatever_was_imported_before() -> None:
    code = "import ragauge.cli.score, ragauge.engines.evaluate, ragauge.results.storage\nimport ragauge\n"
    calls = "".join(f"assert callable(ragauge.{name})\n" for name in ("evaluate", "load", "metric", "parse", "score"))
    imported_by(code + calls)


def test_importing_is_light() -> None:
    assert imported_by("import ragauge").isdisjoint(HEAVY)


def test_scoring_words_and_rankings_imports_no_optional_library() -> None:
    assert imported_by(SCORING).isdisjoint(OPTIONAL)


def test_the_version_needs_no_arrays() -> None:
    code = "import contextlib, ragauge.cli\nwith contextlib.suppress(SystemExit):\n    ragauge.cli.main(['--version'])"
    assert imported_by(code).isdisjoint({"numpy", "pyarrow", "regex", "rapidfuzz"})


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match=pattern("public_face.module_ragauge_has_no_attribute_evalute")):
        ragauge.evalute  # type: ignore[attr-defined]  # noqa: B018


def test_packages_are_there_without_an_import_of_their_own() -> None:
    code = "import ragauge; print(ragauge.tokenizers.get('zh').tokens('我来到北京。', normalize=False))"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, encoding="utf-8", check=True)
    assert ran.stdout.strip() == "['我', '来到', '北京', '。']"
