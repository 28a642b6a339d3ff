"""Without the extra, an error gives the line that installs it; nothing heavy is imported before it is needed."""

import subprocess
import sys

import pytest

from ragauge.embedders import get
from ragauge.errors import MissingExtraError

HEAVY = ("sentence_transformers", "torch", "transformers", "tokenizers", "safetensors")


@pytest.mark.parametrize(
    ("spec", "library", "extra"),
    [("st[model=a/b]", "sentence_transformers", "st"), ("static[path=x]", "tokenizers", "static")],
)
def test_the_install_line_is_given(monkeypatch, spec, library, extra):
    for name in (library, "safetensors.numpy"):
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(MissingExtraError, match=rf"pip install 'ragauge\[{extra}\]'"):
        get(spec).encode(["a"], "query")


def test_heavy_libraries_are_imported_on_use():
    program = (
        "import sys; from ragauge.embedders import get; get('lexical').encode(['a'], 'query'); get('st'); "
        f"sys.exit(any(name in sys.modules for name in {HEAVY}))"
    )
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0
