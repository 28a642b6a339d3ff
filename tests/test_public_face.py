"""The public face: sorted, whole, quick to import, and never hidden by a module."""

from __future__ import annotations

import pkgutil
import subprocess
import sys

import pytest

import ragauge

HEAVY = ("numpy", "pyarrow", "rich", "click", "regex", "rapidfuzz", "rjieba", "pandas")
# Not pandas: pyarrow looks at it itself, where it is installed.
OPTIONAL = (
    "polars", "duckdb", "jieba", "nltk", "fugashi", "MeCab", "opencc", "pythainlp", "icu4py", "torch",
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


def test_the_list_is_sorted_and_every_name_is_there() -> None:
    assert ragauge.__all__ == sorted(ragauge.__all__)
    assert dir(ragauge) == ragauge.__all__
    for name in ragauge.__all__:
        assert getattr(ragauge, name) is not None


def test_no_module_has_the_name_of_a_public_function() -> None:
    """Importing ``ragauge.x`` binds the module to ``ragauge.x``: a function of that name would be gone."""
    modules = {module.name for module in pkgutil.iter_modules(ragauge.__path__)}
    assert modules.isdisjoint(ragauge.__all__)


def test_functions_stay_functions_whatever_was_imported_before() -> None:
    code = "import ragauge.cli.score, ragauge.evaluation.evaluate, ragauge.results.storage\nimport ragauge\n"
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
    with pytest.raises(AttributeError, match="module 'ragauge' has no attribute 'evalute'"):
        ragauge.evalute  # noqa: B018


def test_packages_are_there_without_an_import_of_their_own() -> None:
    code = "import ragauge; print(ragauge.tokenizers.get('zh').tokens('我来到北京。', normalize=False))"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, encoding="utf-8", check=True)
    assert ran.stdout.strip() == "['我', '来到', '北京', '。']"
