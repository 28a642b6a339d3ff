"""Every block of shell on the pages runs and prints what is shown; every other block is checked too."""

from __future__ import annotations

import ast
import json
import re
import socket
import tomllib
from pathlib import Path
from typing import Any

import pytest

from tests.docs.blocks import DOCS, ROOT, blocks, in_chinese, name, outside, pages
from tests.docs.outputs import first_missing, printed, rewritten, shown
from tests.docs.running import SHELL, absent_packages, fill, run_page, steps

README, CHINESE_README = ROOT / "README.md", ROOT / "README.zh.md"


def with_commands() -> list[Path]:
    """Return the pages with commands but those of examples, which have tests, and Chinese ones that have no others."""
    found = [page for page in pages() if any(block.language in SHELL for block in blocks(page))]
    return [page for page in found if page.parent.name != "examples" and not has_the_english_commands(page)]


def has_the_english_commands(page: Path) -> bool:
    """Whether a Chinese page has the commands of its English page, as test_chinese.py holds, and shows no output."""
    if page == CHINESE_README or page.parent == DOCS / "zh" / "metrics":
        return True
    return in_chinese(page) and not any(block.language == "text" or "differs" in block.marks for block in blocks(page))


def long_in_chinese(page: Path) -> Any:
    """Return a page as a parameter: a Chinese one with the commands of its English page makes a long test.

    The first steps do not: they show that what is printed is Chinese.
    """
    repeats = in_chinese(page) and page.name != "start.md" and not any("differs" in one.marks for one in blocks(page))
    return pytest.param(page, marks=pytest.mark.long) if repeats else page


@pytest.fixture(scope="session")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return fill(tmp_path_factory.mktemp("reader"))


@pytest.mark.parametrize("page", [*map(long_in_chinese, with_commands())], ids=name)
def test_commands_run_and_print_what_is_shown(page: Path, files: Path, tmp_path: Path) -> None:
    if absent := absent_packages(page):
        pytest.skip(f"pip install {' '.join(absent)}, as the environment 'frameworks' does")
    done = run_page(page, files, tmp_path / "reader")
    for ran in done:
        where = f"{name(page)}:{ran.block.line}: {ran.command}"
        assert ran.code == ran.promised, f"{where}\nexit code {ran.code}, not {ran.promised}\n{ran.out}\n{ran.err}"
    for block, output in shown(page):
        missing = first_missing(output, printed(done)[block.line])
        where = f"{name(page)}:{output.line}: {missing}\nrun python -m tests.docs.outputs, or see what was printed:\n"
        assert missing is None, where + "\n".join(printed(done)[block.line])


def test_the_chinese_readme_has_the_same_commands() -> None:
    english, chinese = (
        [re.sub(r" +#.*", "", command).strip() for _, command, _ in steps(page)] for page in (README, CHINESE_README)
    )
    assert english == chinese


def test_the_chinese_readme_shows_what_the_chinese_guide_runs() -> None:
    [block, *_] = [block for block in blocks(CHINESE_README) if block.language == "text"]
    guide = (ROOT / "docs" / "zh" / "start.md").read_text(encoding="utf-8")
    assert block.body.strip() in guide


def test_output_is_written_anew_but_where_lines_are_left_out(tmp_path: Path) -> None:
    page, files = tmp_path / "page.md", tmp_path / "files"
    files.mkdir()
    parts = [f"```sh\necho {now}\n```\n\n```text\n{shown}\n```\n" for now, shown in (("now", "then"), ("all", "..."))]
    page.write_text("\n".join(parts), encoding="utf-8")
    done = run_page(page, files, tmp_path / "reader")
    assert rewritten(page, done) == page.read_text(encoding="utf-8").replace("then", "now")


def test_a_server_runs_at_a_free_port_until_the_page_ends(tmp_path: Path) -> None:
    page, files = tmp_path / "page.md", tmp_path / "files"
    files.mkdir()
    (files / "tea.txt").write_text("茶", encoding="utf-8")
    server = "<!-- server: 8000 -->\n```sh\npython -m http.server 8000 --bind 127.0.0.1\n```\n\n"
    asks = "python -c \"import urllib.request as u; print(u.urlopen('http://127.0.0.1:8000/tea.txt').read().decode())\""
    page.write_text(f"{server}```sh\n{asks}\necho http://127.0.0.1:8000 8000 > at.txt\n```\n", encoding="utf-8")
    asked, _ = run_page(page, files, tmp_path / "reader")
    assert (asked.code, asked.lines) == (0, ["茶"]), asked.err
    address, port = (tmp_path / "reader" / "at.txt").read_text(encoding="utf-8").split()
    assert (address, port != "8000") == (f"http://127.0.0.1:{port}", True)
    with pytest.raises(OSError, match="refused"), socket.create_connection(("127.0.0.1", int(port)), timeout=5):
        pass


def test_a_server_that_ends_is_a_failure_with_what_it_printed(tmp_path: Path) -> None:
    (tmp_path / "files").mkdir()
    page = tmp_path / "page.md"
    page.write_text("<!-- server: 8000 -->\n```sh\npython -c 'exit(\"no tea\")'\n```\n", encoding="utf-8")
    with pytest.raises(AssertionError, match="no tea"):
        run_page(page, tmp_path / "files", tmp_path / "reader")


def test_no_block_goes_unchecked() -> None:
    for page, block in [(one, block) for one in pages() for block in blocks(one)]:
        where = f"{name(page)}:{block.line}"
        if block.language in ("toml", "json"):
            try:
                tomllib.loads(block.body) if block.language == "toml" else json_of(block.body)
            except ValueError as error:
                error.add_note(where)
                raise
        elif block.language == "python":
            runs = ">>> " in block.body or "file" in block.marks or "not run" in block.marks
            assert runs, (
                f"{where}: a block of Python has >>>, or <!-- file: NAME --> before it and a command that runs it"
            )
        elif block.language == "py":
            # The signature of a function or a class, by its whole name.
            signature = re.sub(r"^[\w.]+\.", "", block.body.strip())
            assert signature.isidentifier() or ast.parse(f"def {signature}: ..."), where
        elif block.language not in ("sh", "text", "setup"):
            known = "file" in block.marks or "not run" in block.marks
            assert known, (
                f"{where}: {block.language or 'no language'}: say <!-- file: NAME --> or <!-- not run: WHY -->"
            )


def test_code_stands_in_fences() -> None:
    texts = {name(page): outside(page) for page in pages()}
    examples = [page for page, text in texts.items() if re.search(r"^>>> ", text, re.MULTILINE)]
    assert examples == [], "an example that runs, outside a fence"
    torn = [name(page) for page in pages() if len(re.findall("^```", page.read_text("utf-8"), re.MULTILINE)) % 2]
    assert torn == [], "a fence that opens or closes nothing"
    indented = [page for page, text in texts.items() if re.search(r"\n\n(?: {4}|\t)(?![-*\d ])\S", text)]
    assert indented == [], "an indented block; put it into ```text or ```sh"


def json_of(text: str) -> None:
    try:
        json.loads(text)
    except json.JSONDecodeError:
        for line in text.splitlines():
            json.loads(line)
