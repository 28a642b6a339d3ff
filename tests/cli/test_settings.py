"""Settings of ``ragauge score``: the command line over variables, over the file, over defaults."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import pytest

from ragauge.cli.settings import schema

from .running import Done, apart, here, write_rows

Captured = pytest.CaptureFixture[str]

ROWS = [
    {"id": f"q{row}", "问": "q", "回": "yes", "答": "yes" if row else "no", "group": row % 2, "passages": "a|||b"}
    for row in range(4)
]
MAP = '[map]\nquestion = "问"\nanswer = "回"\nreferences = "答"\n'


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    write_rows(tmp_path / "data.jsonl", ROWS)
    return tmp_path


def score(capsys: Captured, *arguments: object) -> Done:
    return here(capsys, "score", "data.jsonl", "--output-format", "json", *arguments)


def test_a_file_sets_everything_that_score_takes(folder: Path, capsys: Captured) -> None:
    (folder / "ragauge.toml").write_text(
        '[score]\nmetrics = ["exact-match", "token-f1"]\nby = "group"\ncluster = "group"\nci = 0.8\nresamples = 20\n'
        'interval = "percentile"\n'
        f'seed = 3\nlimit = 3\nlang = "en"\n{MAP}contexts = "passages"\n[split]\ncontexts = "|||"\n',
        encoding="utf-8",
    )
    done = score(capsys)
    assert done.err.splitlines()[0] == (
        "settings of ragauge.toml: metrics, lang, by, cluster, ci, interval, resamples, seed, limit, map, split"
    )
    assert [row["metric"] for row in done.json["metrics"][:2]] == ["exact-match", "token-f1"]
    assert done.json["options"] == {
        "by": ["group"], "cluster": "group", "level": 0.8, "interval": "percentile", "resamples": 20, "seed": 3,
        "lang": "en",
    }  # fmt: skip
    assert (done.json["data"]["samples"], done.json["data"]["mapping"]["question"]) == (3, "问")


def test_what_wins(folder: Path, capsys: Captured, monkeypatch: pytest.MonkeyPatch) -> None:
    def resamples(*arguments: object) -> object:
        return score(capsys, "-m", "exact-match", *arguments).json["options"]["resamples"]

    (folder / "pyproject.toml").write_text(f"[tool.ragauge.{MAP[1:]}", encoding="utf-8")
    assert resamples() == 1000
    (folder / "pyproject.toml").write_text(
        f"[tool.ragauge.score]\nresamples = 11\n[tool.ragauge.{MAP[1:]}", encoding="utf-8"
    )
    assert resamples() == 11
    (folder / "ragauge.toml").write_text(f"[score]\nresamples = 12\n{MAP}", encoding="utf-8")
    assert resamples() == 12
    monkeypatch.setenv("RAGAUGE_RESAMPLES", "13")
    assert resamples() == 13
    assert resamples("--resamples", 14) == 14
    (folder / "other.toml").write_text(f"[score]\nseed = 5\n{MAP}", encoding="utf-8")
    done = score(capsys, "-m", "exact-match", "--config", "other.toml")
    assert (done.json["options"]["seed"], done.err.splitlines()[0]) == (5, "settings of other.toml: seed, map")


def test_metrics_of_the_command_line_replace_those_of_the_file(folder: Path, capsys: Captured) -> None:
    (folder / "ragauge.toml").write_text(f'[score]\npreset = "generation"\n{MAP}', encoding="utf-8")
    assert [row["metric"] for row in score(capsys, "-m", "bleu").json["metrics"]] == ["bleu"]
    assert len(score(capsys).json["metrics"]) > 1
    (folder / "ragauge.toml").write_text(f'[score]\nmetrics = "bleu"\n{MAP}', encoding="utf-8")
    assert len(score(capsys, "--preset", "generation").json["metrics"]) > 1


def test_one_column_of_the_command_line_joins_those_of_the_file(folder: Path, capsys: Captured) -> None:
    (folder / "ragauge.toml").write_text(MAP, encoding="utf-8")
    mapping = score(capsys, "--map", "references=回", "-m", "exact-match").json["data"]["mapping"]
    assert (mapping["references"], mapping["question"]) == ("回", "问")


def test_variables_hold_several(folder: Path) -> None:
    done = apart(
        "score", folder / "data.jsonl",
        environment={
            "RAGAUGE_METRICS": "exact-match bleu",
            "RAGAUGE_MAP": "answer=回 references=答",
            "RAGAUGE_OUTPUT_FORMAT": "json",
        },
    )  # fmt: skip
    assert [row["metric"] for row in done.json["metrics"]] == ["exact-match", "bleu"]


def test_a_misspelt_variable_is_named_and_those_of_other_programs_are_not(
    folder: Path, capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / "ragauge.toml").write_text(MAP, encoding="utf-8")
    monkeypatch.setenv("RAGAUGE_RESAMPLE", "5")
    monkeypatch.setenv("RAGAUGE_GPU_POOL", "eu")
    done = score(capsys, "-m", "exact-match")
    assert "the variable RAGAUGE_RESAMPLE sets nothing; did you mean RAGAUGE_RESAMPLES" in done.err
    assert "RAGAUGE_GPU_POOL" not in done.err


def test_a_map_in_the_file_is_no_matter_of_a_run_and_its_qrels(folder: Path, capsys: Captured) -> None:
    (folder / "ragauge.toml").write_text(MAP, encoding="utf-8")
    (folder / "run.txt").write_text("q1 Q0 d1 1 0.9 x\n")
    (folder / "qrels.txt").write_text("q1 0 d1 1\n")
    assert here(capsys, "score", "--run", "run.txt", "--qrels", "qrels.txt", "-m", "mrr").code == 0


def test_other_commands_read_the_map(folder: Path, capsys: Captured) -> None:
    (folder / "ragauge.toml").write_text(MAP, encoding="utf-8")
    rows = [{**row, "label": row["答"] == "yes"} for row in ROWS]
    write_rows(folder / "data.jsonl", rows)
    done = here(capsys, "validate", "data.jsonl", "--human", "label", "-m", "token-f1")
    assert done.code == 0, done.err


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("[score]\nci = 0.9\nmetric = 'bleu'\n", "ragauge.toml line 3: [score] has no 'metric'; did you mean metrics?"),
        ("[scores]\n", "ragauge.toml line 1: there is no table or key 'scores'; did you mean score?"),
        ("# x\nlang = 'zh'\n", "ragauge.toml line 2: there is no table or key 'lang'"),
        ("[score]\nci = 'x'\n", "option 'ci' of ragauge.toml line 2 must be a number; got 'x'"),
        ("[score]\nseed = 1.5\n", "option 'seed' of ragauge.toml line 2 must be a whole number; got 1.5"),
        ("[score]\nmetrics = [1]\n", "option 'metrics' of ragauge.toml line 2 must be a text or a list of texts"),
        (
            "[score]\nmetrics = 'bleu'\npreset = 'rag'\n",
            "line 3: [score] has metrics and a preset. Remove one of them.",
        ),
        ("[map]\nanswer = 3\n", "option 'answer' of ragauge.toml line 2 must be a text; got 3"),
        ("score = 3\n", "must be a table: [score]"),
        ("[score\n", "ragauge.toml is not valid TOML"),
    ],
)
def test_what_a_file_cannot_say(text: str, says: str, folder: Path, capsys: Captured) -> None:
    (folder / "ragauge.toml").write_text(text, encoding="utf-8")
    done = score(capsys)
    assert (done.code, done.out) == (2, "")
    assert says in done.err


def test_the_schema_is_one_and_knows_each_key() -> None:
    jsonschema = pytest.importorskip("jsonschema")
    jsonschema.Draft202012Validator.check_schema(schema())
    valid = {"score": {"by": ["a"], "ci": 0.9}, "map": {"answer": "x"}, "gate": {"min": {"mrr": 1}, "confident": True}}
    jsonschema.validate(valid, schema())
    wrongs: tuple[dict[str, dict[str, object]], ...] = (
        {"score": {"metric": "bleu"}},
        {"scores": {}},
        {"score": {"ci": "x"}},
        {"gate": {"mins": {}}},
    )
    for wrong in wrongs:
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate(wrong, schema())


def test_the_schema_has_the_keys_of_a_gate() -> None:
    from ragauge.gates.rules import KEYS

    assert set(schema()["properties"]["gate"]["properties"]) == set(KEYS)
    json.dumps(schema())


def test_an_embedder_for_all_metrics(folder: Path, capsys: Captured, monkeypatch: pytest.MonkeyPatch) -> None:
    def signatures(*arguments: object) -> list[str]:
        return [row["signature"] for row in score(capsys, *arguments).json["metrics"]]

    (folder / "ragauge.toml").write_text(f'[score]\nembedder = "blend"\nmatcher = "exact"\n{MAP}', encoding="utf-8")
    of_file, own = signatures("-m", "semantic-similarity", "-m", "answer-correctness:embedder=lexical")
    assert "embedder=blend[" in of_file
    assert "embedder=lexical[" in own
    assert "embedder=use[" in signatures("-m", "semantic-similarity", "--embedder", "use")[0]
    monkeypatch.setenv("RAGAUGE_EMBEDDER", "lexical")
    assert "embedder=lexical[" in signatures("-m", "semantic-similarity")[0]


def test_a_file_may_name_what_no_metric_takes_and_a_flag_may_not(folder: Path, capsys: Captured) -> None:
    (folder / "ragauge.toml").write_text(f'[score]\nembedder = "use"\n{MAP}', encoding="utf-8")
    done = score(capsys, "-m", "exact-match")
    assert done.code == 0
    assert "the setting embedder is not used: no metric here has the option" in done.err
    done = score(capsys, "-m", "exact-match", "--embedder", "blend")
    assert done.code == 2
    assert (
        "--embedder blend has no effect: no metric here has the option embedder; those that have: answer-correctness, "
        in done.err
    )


def test_a_relevance_model_for_all_metrics(folder: Path, capsys: Captured) -> None:
    def signature(*arguments: object) -> str:
        [row] = score(capsys, "-m", "context-relevancy", *arguments).json["metrics"]
        return str(row["signature"])

    settings = f'[score]\nrelevance = "lexical[weight=0.25]"\n{MAP}contexts = "passages"\n[split]\ncontexts = "|||"\n'
    (folder / "ragauge.toml").write_text(settings, encoding="utf-8")
    assert "relevance=lexical[" in signature()
    assert "weight=0.25" in signature()
    assert "weight=0.5" in signature("--relevance", "lexical[weight=0.5]")
    assert "relevance=none" in signature("--relevance", "none")
    done = score(capsys, "-m", "context-relevancy:to=answer")
    assert done.code == 0
    assert "the setting relevance is not used: no metric here has the option and uses it" in done.err


EVIL = "from pathlib import Path\nPath(__file__).with_name('ran').touch()\ndef evil(sample): return 1.0\n"


@pytest.mark.parametrize("metric", ["./evil.py:evil", "x=evil.py:evil", "x=evil_here:evil"])
def test_a_file_that_settings_name_is_run_in_trusted_folders_alone(
    folder: Path, capsys: Captured, monkeypatch: pytest.MonkeyPatch, metric: str
) -> None:
    monkeypatch.delitem(sys.modules, "evil_here", raising=False)
    monkeypatch.setattr(sys, "path", list(sys.path))
    for name in ("evil.py", "evil_here.py"):
        (folder / name).write_text(EVIL, encoding="utf-8")
    (folder / "ragauge.toml").write_text(f'[score]\nmetrics = ["{metric}"]\n{MAP}', encoding="utf-8")
    for trusted in ("", str(folder / "below"), f"{folder}-2"):
        monkeypatch.setenv("RAGAUGE_TRUSTED", trusted)
        done = here(capsys, "score", "data.jsonl")
        assert done.code == 2
        assert (
            f"ragauge.toml line 2 names {metric.removeprefix('x=')}, whose code would run with all your rights"
            in done.err
        )
        before = f"{trusted}{os.pathsep}" if trusted else ""
        assert f"export RAGAUGE_TRUSTED={before}{folder.resolve()}" in done.err
        assert not (folder / "ran").exists()
    assert score(capsys, "-m", "exact-match").code == 0
    monkeypatch.setenv("RAGAUGE_TRUSTED", os.pathsep.join(["/elsewhere", str(folder.parent)]))
    assert [row["value"] for row in score(capsys).json["metrics"]] == [1.0]


@pytest.mark.parametrize(
    "settings",
    [
        'metrics = ["rouge-l:tokenizer=evil.py:evil"]', 'metrics = ["rouge-l:tokenizer=evil_here:evil"]',
        'metrics = ["exact-match", "x=rouge-l:tokenizer=evil.py:evil"]', 'embedder = "evil.py:evil"',
        "metrics = ['rouge-l:tokenizer=function[name=\"ev\"\"il.py:evil\"]']",
        'metrics = ["semantic-similarity"]\nembedder = "evil_here:evil"', 'embedder = "function[name=evil.py:evil]"',
        'metrics = ["judged-groundedness-rating"]\njudge = "evil.py:evil"', 'matcher = "evil.py:evil"',
    ],
)  # fmt: skip
def test_functions_that_settings_name_are_run_in_trusted_folders_alone(
    folder: Path, capsys: Captured, monkeypatch: pytest.MonkeyPatch, settings: str
) -> None:
    monkeypatch.delitem(sys.modules, "evil_here", raising=False)
    monkeypatch.setattr(sys, "path", list(sys.path))
    for name in ("evil.py", "evil_here.py", 'ev"il.py'):
        (folder / name).write_text(EVIL, encoding="utf-8")
    (folder / "ragauge.toml").write_text(f"[score]\n{settings}\n{MAP}", encoding="utf-8")
    done = here(capsys, "score", "data.jsonl")
    assert (done.code, "whose code would run with all your rights" in done.err) == (2, True), done.err
    assert not (folder / "ran").exists()


def test_what_is_trusted_is_the_folder_of_the_file_that_is_run(
    folder: Path, capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Settings of a trusted folder, by a link or by --config, name a file relative to the folder of the process."""
    (folder / "evil.py").write_text(EVIL, encoding="utf-8")
    (trusted := folder / "trusted").mkdir()
    (trusted / "ragauge.toml").write_text(f'[score]\nmetrics = ["./evil.py:evil"]\n{MAP}', encoding="utf-8")
    monkeypatch.setenv("RAGAUGE_TRUSTED", str(trusted))
    assert here(capsys, "score", "data.jsonl", "--config", "trusted/ragauge.toml").code == 2
    (folder / "ragauge.toml").symlink_to(trusted / "ragauge.toml")
    assert here(capsys, "score", "data.jsonl").code == 2
    monkeypatch.setenv("RAGAUGE_TRUSTED", ".")
    assert here(capsys, "score", "data.jsonl").code == 2
    assert not (folder / "ran").exists()


def test_a_file_of_the_command_line_is_the_users_own(folder: Path, capsys: Captured) -> None:
    (folder / "evil.py").write_text(EVIL, encoding="utf-8")
    (folder / "ragauge.toml").write_text(MAP, encoding="utf-8")
    assert score(capsys, "-m", "evil.py:evil").code == 0


def test_a_gate_and_a_saved_run_run_no_file(folder: Path, capsys: Captured) -> None:
    (folder / "evil.py").write_text(EVIL, encoding="utf-8")
    (folder / "ragauge.toml").write_text(MAP, encoding="utf-8")
    score(capsys, "-m", "exact-match", "-o", "run")
    (folder / "ragauge.toml").write_text('[gate.min]\n"evil.py:evil" = 0.5\n', encoding="utf-8")
    done = here(capsys, "gate", "run")
    assert done.code == 2
    assert "evil.py:evil" in done.err
    manifest = folder / "run" / "manifest.json"
    manifest.write_text(manifest.read_text("utf-8").replace('"exact-match"', '"evil.py:evil"'), encoding="utf-8")
    for command in (
        ("gate", "run"),
        ("report", "run", "-o", "run.html"),
        ("compare", "run", "run"),
        ("explain", "run"),
    ):
        here(capsys, *command)
    assert not (folder / "ran").exists()


def test_a_column_of_the_file_that_the_data_do_not_have_is_left_out_with_a_note(folder: Path, capsys: Captured) -> None:
    (folder / "ragauge.toml").write_text(
        '[map]\ncontexts = "passages found"\nanswer = "said"\n[split]\ncontexts = "#"\n"passages found" = "#"\n',
        encoding="utf-8",
    )
    other = write_rows(folder / "other.jsonl", [{"said": "茶", "references": ["茶"]}] * 2)
    done = here(capsys, "score", other, "-m", "exact-match")
    assert done.code == 0
    for setting in ("contexts = 'passages found' of [map]", "contexts = '#' of [split]", "passages found = '#'"):
        assert f"the setting {setting}" in done.err
    assert "in ragauge.toml is not used: these data have no such column" in done.err
    assert "columns: answer <- said" in done.err
    # What the first rows lack may come later.
    late = [{"said": "茶", "references": ["茶"]}] * 150 + [{"said": "a", "references": ["a"], "passages found": "a#b"}]
    done = here(capsys, "score", write_rows(folder / "late.jsonl", late), "-m", "exact-match")
    assert "columns: answer <- said, contexts <- passages found" in done.err
    assert "is not used" not in done.err
    # A flag is meant for these data.
    for flag in ("--map=contexts=passages", "--split=retrieved=,"):
        assert "the data have no column" in here(capsys, "score", other, "-m", "exact-match", flag).err
