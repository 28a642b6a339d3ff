"""The page of the examples: it names each of them, and each of its commands runs."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.docs.running import run
from tests.examples.running import EXAMPLES, ROOT, output_of

PAGE = (EXAMPLES / "README.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"```sh\n(.+?)\n```", PAGE, re.DOTALL)
BUILT_OF = {"rag_pipeline": ("faiss", "sklearn", "bm25s"), "chinese": ("faiss", "sklearn", "bm25s")}


@pytest.mark.parametrize("block", BLOCKS, ids=lambda block: re.sub(r"\W+", " ", block.splitlines()[0]))
def test_its_commands_run(block: str, tmp_path: Path) -> None:
    for library in {name for script, names in BUILT_OF.items() if f"{script}.py" in block for name in names}:
        pytest.importorskip(library)
    for name in ("examples", "corpora"):
        (tmp_path / name).symlink_to(ROOT / name)
    for command in block.splitlines():
        alone = re.fullmatch(r"python examples/(\w+\.py)", command)
        if alone:
            output_of(alone[1])
        else:
            code, _, err = run(command, tmp_path)
            assert code == 0, f"{command}\n{err}"


def test_it_names_every_example() -> None:
    linked = set(re.findall(r"\]\(([^)#]+)\)", PAGE))
    scripts = {path.name for path in EXAMPLES.glob("*.py")}
    folders = {f"{path.name}/" for path in EXAMPLES.iterdir() if path.is_dir() and not path.name.startswith(("_", "."))}
    assert scripts | folders <= linked
    assert all((EXAMPLES / target).exists() for target in linked)


def test_what_it_quotes_is_what_is_printed() -> None:
    [quoted] = re.findall(r"```text\n(.+?)\n```", PAGE, re.DOTALL)
    assert quoted in output_of("human_labels.py")
