"""Systems by name: in the folder of the process, in a file, in an installed module; and what to do without one."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from ragauge.core.loading import loaded as loaded_as
from ragauge.core.loading import with_imports
from ragauge.errors import UsageError


def loaded(spec: str) -> Any:
    return loaded_as(spec, "system", "app:answer or src/app.py:answer")


MODULE = """
class Chain:
    def invoke(self, question):
        return question

chain = Chain()

def answer(question):
    return question.upper()
"""


@pytest.fixture(autouse=True)
def _own_modules(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    before = set(sys.modules)
    yield
    for name in set(sys.modules) - before:
        del sys.modules[name]


def test_modules_files_and_methods(tmp_path: Path) -> None:
    (tmp_path / "tea_chain_app.py").write_text(MODULE, encoding="utf-8")
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "other_tea_chain_app.py").write_text("from tea_parts import answer\n", encoding="utf-8")
    (tmp_path / "src" / "tea_parts.py").write_text(MODULE, encoding="utf-8")
    assert loaded("tea_chain_app:answer")("q") == "Q"
    assert loaded("tea_chain_app:chain.invoke")("q") == "q"
    assert loaded("src/other_tea_chain_app.py:answer")("q") == "Q"


def test_a_file_takes_the_place_of_no_module_and_is_read_again_where_it_changed(tmp_path: Path) -> None:
    path = tmp_path / "json.py"
    path.write_text("import json\n\ndef answer(question):\n    return json.__file__\n", encoding="utf-8")
    before = sys.modules["json"]
    answer = loaded("json.py:answer")
    assert sys.modules["json"] is before
    assert loaded("json.py:answer") is answer
    path.write_text("def answer(question):\n    return 'changed'\n", encoding="utf-8")
    os.utime(path, ns=(1, 1))
    assert loaded("json.py:answer")("q") == "changed"


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("app", "must be module:function, as in app:answer"),
        (":answer", "must be module:function"),
        ("app:", "must be module:function"),
        ("app:not a name", "must be module:function"),
        ("no_such_app:answer", "there is no module 'no_such_app' in this folder, and none is installed"),
        ("no/such/app.py:answer", r"no/such/app\.py: file not found"),
        ("good:answr", "unknown name in good: 'answr'; did you mean answer"),
        ("good:chain.ask", "unknown name in good: 'ask'; available: invoke"),
        ("needs:answer", "needs.py:1 cannot be imported: No module named 'no_such_library'; install the package that"),
        ("needs:answer", "it, for example: pip install no_such_library, or correct the name"),
        ("wraps:answer", "lazy_tea.py:4 cannot be imported: No module named 'no_such_library'; install the package"),
        ("tells:answer", "tells.py:4 cannot be imported: ImportError: pip install tea.ai.; correct it"),
        ("part:answer", "part.py:1 cannot be imported: ModuleNotFoundError: No module named 'json.no_such_part'"),
        ("broken.py:answer", r"broken\.py:1 cannot be imported: SyntaxError"),
        ("reads:answer", "reads.py:1 cannot be imported: FileNotFoundError"),
        ("exits:answer", "exits.py:3 cannot be imported: SystemExit: 0"),
        ("exits.py:answer", "exits.py:3 cannot be imported: SystemExit: 0"),
    ],
)
def test_what_cannot_be_loaded(tmp_path: Path, spec: str, message: str) -> None:
    (tmp_path / "good.py").write_text(MODULE, encoding="utf-8")
    (tmp_path / "needs.py").write_text("import no_such_library\n", encoding="utf-8")
    (tmp_path / "lazy_tea.py").write_text(
        "try:\n    import no_such_library\nexcept ImportError as error:\n"
        "    raise ImportError(f\"module ''tea'.'api'' not found ({error})\") from None\n",
        encoding="utf-8",
    )
    (tmp_path / "wraps.py").write_text("import lazy_tea\n", encoding="utf-8")
    (tmp_path / "tells.py").write_text(
        "try:\n    import no_such_library\nexcept ImportError:\n  raise ImportError('pip install tea[ai]') from None\n",
        encoding="utf-8",
    )
    (tmp_path / "part.py").write_text("import json.no_such_part\n", encoding="utf-8")
    (tmp_path / "broken.py").write_text("def\n", encoding="utf-8")
    (tmp_path / "exits.py").write_text("import sys\ndef answer(question): return question\nsys.exit(0)\n", "utf-8")
    (tmp_path / "reads.py").write_text("open('no such file')\n", encoding="utf-8")
    with pytest.raises(UsageError, match=message):
        loaded(spec)


def test_imports_are_followed_within_the_folder_or_the_package(tmp_path: Path) -> None:
    package = tmp_path / "site-packages" / "mine"
    files = {
        "own.py": "import helper\ndef later():\n    from 数据.inner import X\nimport json, absent\n",
        "helper.py": "import own\n",
        "数据/__init__.py": "",
        "数据/inner.py": "from . import other\nfrom .. import helper\n",
        "数据/other.py": "this is no Python",
        "unread.py": "",
        "site-packages/mine/__init__.py": "",
        "site-packages/mine/metric.py": "from .part import f\nimport theirs\nfrom mine import more\n",
        "site-packages/mine/part.py": "",
        "site-packages/mine/more.py": "",
        "site-packages/theirs.py": "",
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    found = {str(path.relative_to(tmp_path)) for path in with_imports([tmp_path / "own.py"])}
    expected = {"own.py", "helper.py", "数据/__init__.py", "数据/inner.py", "数据/other.py"}
    assert found == {str(Path(name)) for name in expected}
    of_package = {str(path.relative_to(package)) for path in with_imports([package / "metric.py"])}
    assert of_package == {"metric.py", "part.py", "more.py", "__init__.py"}
