"""Code and servers that settings name, in folders that the user trusts and in others."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import types
from pathlib import Path

import pytest

from tests.judges.conftest import ChatServer, chat_answer, listening, server

from .running import Done, here, write_rows

__all__ = ["listening", "server"]
Captured = pytest.CaptureFixture[str]
ROWS = [{"id": "a", "question": "Who?", "answer": "Anna.", "contexts": ["Anna did."], "references": ["Anna."]}]
ELSEWHERE = "http://judge.invalid/v1"
EVIL = "from pathlib import Path\nPath(__file__).with_name('ran').touch()\ndef evil(sample): return 1.0\n"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (project := tmp_path / "project").mkdir()
    monkeypatch.chdir(project)
    monkeypatch.setenv("RAGAUGE_JUDGE_API_KEY", "tiger")
    monkeypatch.delenv("RAGAUGE_TRUSTED", raising=False)
    write_rows(project / "data.jsonl", ROWS)
    return project


def score(capsys: Captured, settings: str, *arguments: object) -> Done:
    Path("ragauge.toml").write_text(f"[score]\n{settings}\n", encoding="utf-8")
    return here(capsys, "score", "data.jsonl", *arguments)


JUDGED = 'metrics = ["judged-groundedness-rating"]\n'
JUDGE = f'judge = "{ELSEWHERE}"\njudge-model = "m"\n'
JURY = f"jury[judges=chat[url=http://localhost,model=m]/chat[url={ELSEWHERE},model=m]]"
SERVERS = [
    (JUDGED + JUDGE, "judge", ()),
    (JUDGE, "judge", ("-m", "judged-groundedness-rating")),
    (f'metrics = ["judged-groundedness-rating:judge=chat[url={ELSEWHERE},model=m,key=HOME]"]', "metrics", ()),
    (f'metrics = ["judged-groundedness-rating:judge={JURY}"]', "metrics", ()),
    (f'embedder = "http[url={ELSEWHERE},model=m,key=HOME]"', "embedder", ("-m", "semantic-similarity")),
    (f'embedder = "http[url={ELSEWHERE},model=m,key=HOME]"', "embedder", ()),
    (f'relevance = "http[url={ELSEWHERE},model=m]"', "relevance", ("-m", "context-relevancy")),
    (f'{JUDGED}judge-extra = "../extra"', "judge-extra", ("--judge", ELSEWHERE, "--judge-model", "m")),
    (f'{JUDGED}judge-key-file = "../secret"', "judge-key-file", ("--judge", ELSEWHERE, "--judge-model", "m")),
]


@pytest.mark.parametrize(("settings", "key", "arguments"), SERVERS)
def test_a_server_elsewhere_needs_a_trusted_folder(
    folder: Path, capsys: Captured, monkeypatch: pytest.MonkeyPatch, settings: str, key: str, arguments: tuple[str, ...]
) -> None:
    (folder.parent / "secret").write_text("tiger")
    (folder.parent / "extra").write_text("{}")
    done = score(capsys, settings, *arguments, "--dry-run")
    place = 1 + next(n for n, line in enumerate(f"[score]\n{settings}".splitlines()) if line.startswith(f"{key} "))
    assert done.code == 2
    assert f"ragauge.toml line {place} would send texts, and API keys that are set, to {ELSEWHERE}" in done.err
    assert f"allow it: export RAGAUGE_TRUSTED={folder}" in done.err
    monkeypatch.setenv("RAGAUGE_TRUSTED", str(folder.parent))
    (folder / "data.jsonl").unlink()
    assert "data.jsonl: file not found" in score(capsys, settings, *arguments, "--dry-run").err


@pytest.mark.parametrize("key", ["judge-cache", "embedding-cache"])
@pytest.mark.parametrize("place", ["../.zshenv", "{home}/.zshenv", "linked/x"])
def test_a_cache_elsewhere_needs_a_trusted_folder(
    folder: Path, capsys: Captured, monkeypatch: pytest.MonkeyPatch, key: str, place: str
) -> None:
    (folder / "linked").symlink_to(folder.parent)
    settings = f'{key} = "{place.format(home=folder.parent)}"'
    written = folder.parent / ("x" if "linked" in place else ".zshenv")
    done = score(capsys, settings, "-m", "exact-match")
    assert done.code == 2
    assert f"would write {written}, which is not in the folder of these settings" in done.err
    assert not written.exists()
    monkeypatch.setenv("RAGAUGE_TRUSTED", str(folder))
    assert score(capsys, settings, "-m", "exact-match").code == 0


def test_a_cache_in_the_folder_needs_no_trust(folder: Path, capsys: Captured) -> None:
    assert score(capsys, 'embedding-cache = ".cache/vectors"', "-m", "exact-match").code == 0


def test_a_link_to_settings_elsewhere_is_as_trusted_as_these(
    folder: Path, capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder.parent / "other.toml").write_text(f"[score]\n{JUDGED}{JUDGE}", encoding="utf-8")
    (folder / "ragauge.toml").symlink_to(folder.parent / "other.toml")
    monkeypatch.setenv("RAGAUGE_TRUSTED", str(folder))
    assert "export RAGAUGE_TRUSTED=" in here(capsys, "score", "data.jsonl", "--dry-run").err


def test_what_the_user_names_and_servers_of_this_machine_need_none(
    folder: Path, server: ChatServer, capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    server.reply = lambda body, turn: chat_answer({"rating": 2})
    local = f'{JUDGED}judge = "{server.url}"\njudge-model = "m"\njudge-key-file = "key"\n'
    (folder / "key").write_text("lion")
    assert score(capsys, local).code == 0
    assert server.headers[0]["Authorization"] == "Bearer lion"
    user = ("--judge", ELSEWHERE, "--judge-model", "m", "--dry-run")
    assert score(capsys, JUDGED + JUDGE, *user).code == 0
    monkeypatch.setenv("RAGAUGE_JUDGE", ELSEWHERE)
    assert score(capsys, JUDGED + JUDGE, "--dry-run").code == 0
    # Without a metric that asks it, a judge gets nothing.
    monkeypatch.delenv("RAGAUGE_JUDGE")
    assert score(capsys, JUDGE, "-m", "exact-match").code == 0
    assert score(capsys, JUDGE).code == 0


@pytest.mark.parametrize(
    ("settings", "key"),
    [
        ('embedder = "st[model=./model]"\nmetrics = ["semantic-similarity"]', "embedder"),
        ('metrics = ["semantic-similarity:embedder=blend[parts=lexical:.5/st[query=a,model=model]:.5]"]', "metrics"),
        ('support = "nli[model=model]"\nmetrics = ["groundedness"]', "support"),
        ('metrics = ["bertscore:model=model"]', "metrics"),
        ('metrics = ["comet:model=model"]', "metrics"),
    ],
)
def test_the_folder_of_a_model_may_hold_code(
    folder: Path, capsys: Captured, monkeypatch: pytest.MonkeyPatch, settings: str, key: str
) -> None:
    loaded: list[object] = []
    library = types.ModuleType("sentence_transformers")
    library.SentenceTransformer = library.CrossEncoder = lambda model, **_: loaded.append(model)  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "sentence_transformers", library)
    (folder / "model").mkdir()
    done = score(capsys, settings)
    assert done.code == 2
    assert re.search(r"ragauge\.toml line \d names (\./)?model, whose code would run with all your rights", done.err)
    assert f"export RAGAUGE_TRUSTED={folder}/model" in done.err
    assert loaded == []
    (folder / "model").rmdir()
    # A name on a hub, whose code the library does not run.
    assert "RAGAUGE_TRUSTED" not in score(capsys, settings).err


def test_a_folder_whose_path_has_the_separator_is_trusted_by_a_link(
    folder: Path, capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    (odd := folder / f"a{os.pathsep}b").mkdir()
    (odd / "evil.py").write_text(EVIL, encoding="utf-8")
    settings = f'metrics = ["./a{os.pathsep}b/evil.py:evil"]'
    done = score(capsys, settings)
    assert done.code == 2
    monkeypatch.setenv("HOME", str(folder.parent))
    line = score(capsys, settings).err.rpartition("allow it: ")[2].partition(" [RG")[0].strip()
    shell = ["sh", "-c", f'{line} && printf %s "$RAGAUGE_TRUSTED"']
    trusted = subprocess.run(shell, capture_output=True, text=True, check=True).stdout
    monkeypatch.setenv("RAGAUGE_TRUSTED", trusted)
    assert (trusted, score(capsys, settings).code) == (str(folder.parent / "a-b"), 0)
