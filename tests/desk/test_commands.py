"""What commands say to somebody at the desk: rows without ids, wrong calls, and what to type."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest

import ragauge
from tests.cli.running import here, write_rows

ROWS = [
    {"question": "Who?", "answer": "Anna grows tea.", "contexts": ["Anna grows tea in Yunnan."]},
    {"question": "When?", "answer": "In 1985.", "contexts": ["It opened in 1990."]},
]


def test_a_sample_without_an_id_is_named_by_its_row(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run = tmp_path / "run"
    ragauge.evaluate(write_rows(tmp_path / "a.jsonl", ROWS), "groundedness", evidence=True).save(run)
    second = here(capsys, "explain", run, "--row", 2)
    assert second.out.splitlines()[0].endswith("  (row 2)")
    assert "In 1985." in second.out
    assert "  (row 2)" in here(capsys, "explain", run, "--worst", 1).out
    assert "; for row 2 of the data: --row 2" in here(capsys, "explain", run, "--id", 2).err
    assert here(capsys, "explain", run, "--row", 3).err == "error: the run has 2 rows; got --row 3\n"
    assert "pass one of them" in here(capsys, "explain", run, "--row", 1, "--worst", 1).err


def test_an_id_that_a_run_without_evidence_lacks_is_said_first(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run = tmp_path / "run"
    ragauge.evaluate(write_rows(tmp_path / "a.jsonl", [{**ROWS[0], "id": "q1", "references": ["Anna"]}]), "bleu").save(
        run
    )
    assert "the run holds no sample '없음'; its ids are 'q1'" in here(capsys, "explain", run, "--id", "없음").err
    assert here(capsys, "explain", run, "--id", "q1").code == 0


def test_criteria_are_an_option_of_another_metric(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = write_rows(tmp_path / "a.jsonl", ROWS)
    said = here(capsys, "score", path, "-m", "judged-answer-rating:criteria=polite").err
    assert "judged-answer-rating has no option 'criteria'; write judged-rubric:criteria=polite" in said


@pytest.mark.parametrize(
    "typed",
    [
        "judged[criteria=polite, short and clear]",
        "judged:criteria=polite, short and clear",
        'judged(criteria="polite, short and clear")',
        "judged-rubric[criteria=polite, short and clear]",
        "judged-rubric:criteria='polite, short and clear'",
        "judged_criteria[criteria=polite, short and clear]",
        "g-eval[criteria='polite, short and clear']",
        "GEval(criteria=polite, short and clear)",
        "tone=judged[criteria=polite, short and clear]",
    ],
)
def test_criteria_are_taken_as_people_type_them(typed: str, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    judge = "chat[url=http://localhost:1/v1,model=m]"
    command = ("score", write_rows(tmp_path / "a.jsonl", ROWS), "--judge", judge, "--dry-run", "-m")
    plain = here(capsys, *command, 'judged-rubric:criteria="polite, short and clear"')
    assert plain.code == 0
    assert here(capsys, *command, typed).out == plain.out


def test_other_metrics_in_brackets_are_refused_with_what_to_write(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    said = here(capsys, "score", write_rows(tmp_path / "a.jsonl", ROWS), "-m", "bleu[order=2]").err
    assert "a metric's options follow ':': bleu:order=2" in said


def test_wrong_calls_have_one_voice(capsys: pytest.CaptureFixture[str]) -> None:
    for arguments, message in {
        ("report",): "error: missing argument 'RUN...'; for example: ragauge report runs/today --open\n",
        ("calibrate", "d.csv"): "error: missing option '-o' / '--output'; for example: ragauge calibrate judged.jsonl ",
        ("explain", "run", "--rov"): "error: no such option '--rov'; did you mean --row?\n",
        ("gate", "run", "--mim", "x"): "error: no such option '--mim'; did you mean --min?\n",
        ("gate", "run", "--xyzw", "x"): "error: no such option '--xyzw'\n",
        ("score", "a.csv", "--seed", "x"): "error: invalid value for '--seed': 'x' is not a valid integer\n",
    }.items():
        done = here(capsys, *arguments)
        assert done.code == 2
        assert message in done.err
        assert f"Try ragauge {arguments[0]} --help for help." in done.err


def test_wrong_calls_have_one_voice_in_chinese(capsys: pytest.CaptureFixture[str]) -> None:
    assert "缺少参数 'RUN...'；例如：ragauge report runs/today --open" in here(capsys, "report", "--lang-ui", "zh").err
    assert "没有选项 '--mim'；是不是 --min？" in here(capsys, "gate", "r", "--mim", "--lang-ui", "zh").err


def test_a_path_that_is_no_run_names_the_runs_that_may_be_meant(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    path = write_rows(tmp_path / "茶.jsonl", ROWS)
    result = ragauge.evaluate(path, "groundedness", resamples=0)
    for name in ("main", "茶"):
        result.save(tmp_path / "runs" / name)
    wrong = "is not a saved run; give a directory that ragauge score -o wrote"
    runs = Path("runs")
    named = f"{runs / 'main'}, {runs / '茶'}"
    for given, hint in {
        "runs": f"; it is a folder of runs: {named}",
        str(runs / "mian"): f"; did you mean {runs / 'main'} or {runs / '茶'}?",
        "nowhere": f"; available: {named}",
        "茶.jsonl": ": ragauge score 茶.jsonl -o runs/today",
    }.items():
        for command in (("report",), ("explain",), ("gate", "--min", "groundedness=0.1"), ("compare", given)):
            assert f"error: {given} {wrong}{hint}\n" in here(capsys, *command, given).err
    inside = here(capsys, "report", "runs", "--lang-ui", "zh").err
    assert f"它是存放运行的文件夹：{named}" in inside


def test_errors_say_what_to_type(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = write_rows(tmp_path / "a.jsonl", ROWS)
    ragauge.evaluate(path, "groundedness", resamples=0).save(tmp_path / "run")
    gate = here(capsys, "export", tmp_path / "run", "--to", "junit").err
    assert "Give one: ragauge gate" in gate
    commas = here(capsys, "score", path, "-m", "judged-preference:criteria=polite, short").err
    assert 'a value with a comma is in double quotes: judged-preference:criteria="polite, short"' in commas
    address = here(capsys, "score", path, "-m", "answer-relevancy", "--embedder", "http://localhost:1/v1").err
    assert '--embedder "http[url=http://localhost:1/v1,model=NAME]"' in address


def test_init_prints_what_works_for_a_file_that_is_not_utf_8(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("fragen.csv").write_text("Frage,Antwort,Referenz\nWer fährt?,Zoë fährt.,Zoë\n", encoding="cp1252")
    said = here(capsys, "init", "fragen.csv").err
    assert "recognised: question <- Frage, answer <- Antwort, references <- Referenz" in said
    # ragauge.toml holds the encoding.
    assert "next: ragauge score fragen.csv -o runs/first" in said
    assert here(capsys, "score", "fragen.csv", "-o", "runs/first").code == 0
    Path("wen.csv").write_text("問題,回答\n誰種茶？,林婉在雲南種茶。\n", encoding="big5")
    assert "question <- 問題, answer <- 回答" in here(capsys, "init", "wen.csv", "--force").err
    assert 'encoding = "cp950"' in Path("ragauge.toml").read_text(encoding="utf-8")
    assert "question <- 問題, answer <- 回答" in here(capsys, "init", "wen.csv", "--force", "--encoding", "big5").err
    Path("gbk.csv").write_text("问题,回答\n谁种茶？,林婉在云南种茶。\n", encoding="gbk")
    assert "question <- 问题, answer <- 回答" in here(capsys, "init", "gbk.csv", "--force").err


def test_init_does_not_propose_for_the_answer_what_may_be_the_question(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("own.csv").write_text("고객 문의,정답\n수도 알려줘,서울\n몇 시야,9시\n", encoding="utf-8")
    said = here(capsys, "init", "own.csv").err
    assert "no column has answers; to have a system asked: ragauge ask own.csv" in said
    assert " --map 'question=고객 문의' -o runs/first" in said
    Path("own.csv").write_text("id,고객 문의\n1,환불 되나요?\n", encoding="utf-8")
    said = here(capsys, "init", "own.csv", "--force").err
    assert "question <- 고객 문의" in said
    assert "to have a system asked: ragauge ask own.csv --system app.py:answer -o runs/first" in said


def test_ask_names_the_columns_of_the_user_for_questions_and_right_answers(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("app.py").write_text('def answer(question):\n    return "3일" if "환불" in question else "4일"\n', "utf-8")
    Path("own.csv").write_text("id,고객 문의,답변\n1,환불은?,3일\n2,배송은?,3일\n", encoding="utf-8")
    asking = ("ask", "own.csv", "--system", "app.py:answer", "-m", "exact-match", "-o", "run")
    said = here(capsys, *asking).err
    maps = said.partition("; name it: ")[2].strip()
    assert maps == '--map "question=고객 문의" --map references=답변'
    assert "0.50" in here(capsys, *asking, *shlex.split(maps)).out


def test_junit_of_a_run_without_rules_is_one_command_away(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    rows = [{"answer": "Anna", "references": ["Anna"], "latency": 3.5}]
    ragauge.evaluate(rows, ["column:name=latency,direction=lower", "bleu"]).save("run")
    said = here(capsys, "export", "run", "--to", "junit[path=tea gate.xml]").err
    command = said.partition("Give one: ")[2].partition("; or write")[0]
    done = here(capsys, *shlex.split(command)[1:])
    assert done.code == 1, done.err
    assert Path("tea gate.xml").read_text(encoding="utf-8").startswith("<?xml")
    Path("ragauge.toml").write_text('[gate.min]\n"bleu" = 0.8\n', "utf-8")
    assert here(capsys, "export", "run", "--to", "junit[path=b.xml]").out.startswith("junit: 1 check, 0 failed")


@pytest.mark.parametrize(
    ("header", "said"),
    [
        ("Anliegen;Bot;Soll;Quelle", "guessed, check them: question <- Anliegen, answer <- Bot, references <- Soll"),
        ("Vraag;Antwoord bot;Verwacht;Bron", "guessed, check them: answer <- Antwoord bot, references <- Verwacht"),
        ("foo;bar;baz;qux", "guessed, check them: question <- foo\n"),
        ("foo;bar;baz;qux", 'was not recognised: write it under [map], as in answer = "bar"'),
    ],
)
def test_init_guesses_by_words_of_ten_languages_and_by_question_marks(
    header: str, said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    rows = "Wann ist offen?;Um neun.;Um neun Uhr.;Der Laden öffnet um neun.\n何时？;九点。;九点。;茶馆早上九点开门。\n"
    Path("own.csv").write_text(f"{header}\n{rows}", encoding="utf-8")
    assert said in here(capsys, "init", "own.csv").err


def test_one_map_may_name_several_columns(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "own.csv"
    path.write_text("Antwort,Kasten A,Kasten B\nUm neun.,Parken ist frei.,Um neun ist offen.\n", encoding="utf-8")
    for maps in (("contexts=Kasten A", "contexts=Kasten B"), ("contexts=Kasten A, Kasten B",)):
        flags = [text for one in maps for text in ("--map", one)]
        done = here(capsys, "score", path, "-m", "groundedness", *flags)
        assert "contexts <- Kasten A, Kasten B" in done.err
        assert "1.0000" in done.out
    assert ragauge.formats.read(path, mapping={"contexts": "Kasten A, Kasten B"}).columns[1:] == ("answer", "contexts")
    absent = here(capsys, "score", path, "-m", "groundedness", "--map", "contexts=Kasten A", "--map", "contexts=Kiste")
    assert "the data have no column 'Kasten A, Kiste'" in absent.err


def test_export_says_where_a_file_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    assert 'file: --to "xlsx[path=run.xlsx]"; available: github,' in here(capsys, "export", "run").err
    assert '--to "junit[path=gate.xml]"' in here(capsys, "export", "run", "-o", "gate.xml").err


def test_init_makes_no_passages_of_ids_and_says_how_rows_become_samples(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    table = "query,doc_id,rank,relevant\n谁种茶？,d2,2,0\n谁种茶？,d1,1,1\nкогда?,d3,1,0\nкогда?,d4,2,1\n"
    Path("table.csv").write_text(table, encoding="utf-8")
    said = here(capsys, "init", "table.csv").err
    assert "guessed" not in said
    code = said.partition("in pandas: ")[2].partition("; then: ")[0]
    exec(code, {"frame": pytest.importorskip("pandas").read_csv("table.csv")})  # noqa: S102 - what the user would type
    assert ragauge.evaluate("samples.jsonl", "mrr", resamples=0)["mrr"].value == 0.75
    Path("gold.csv").write_text("question,answer,gold_doc,label\nWho?,Anna.,doc_12,good\n", encoding="utf-8")
    said = here(capsys, "init", "gold.csv", "--force").err
    assert "guessed, check them: relevance <- gold_doc\n" in said


def test_rows_with_the_same_id_have_advice_that_works(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "turns.csv"
    path.write_text("id,turn,answer,references\nc1,t1,Anna,Anna\nc1,t2,茶,茶\n", encoding="utf-8")
    said = here(capsys, "score", path, "-m", "exact-match").err
    for advised in ("id=COLUMN", "group_id=id"):
        assert f"pass --map {advised}" in said
        value = advised.replace("COLUMN", "turn")
        assert here(capsys, "score", path, "-m", "exact-match", "--map", value).code == 0
    assert here(capsys, "score", path, "-m", "exact-match", "--map", "group_id=id", "--by", "group_id").code == 0


@pytest.mark.parametrize("header", ["query,doc_id,rank,relevant", "qid,docid,rank,label"])
def test_score_says_how_a_table_of_documents_becomes_samples(
    header: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("table.csv").write_text(
        f"{header}\n谁种茶？,d2,2,0\n谁种茶？,d1,1,1\nкогда?,d3,1,0\nкогда?,d4,2,1\n", encoding="utf-8"
    )
    done = here(capsys, "score", "table.csv", "-m", "mrr")
    assert done.code in (2, 3)
    code = done.err.partition("In pandas: ")[2].partition("; then score")[0]
    exec(code, {"frame": pytest.importorskip("pandas").read_csv("table.csv")})  # noqa: S102 - what the user would type
    assert ragauge.evaluate("samples.jsonl", "mrr", resamples=0)["mrr"].value == 0.75


def test_answers_that_cannot_be_scored_are_kept_and_the_command_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    app = "def answer(question):\n    return {'answer': '九時', 'retrieved': ['d', 'd']}\n"
    Path("app.py").write_text(app, encoding="utf-8")
    path = write_rows(tmp_path / "q.jsonl", [{"question": "何時？", "relevance": ["d"]}])
    command = ("ask", path, "--system", "app.py:answer", "-m", "mrr", "-o", "run")
    failed = here(capsys, *command)
    assert failed.code == 3
    assert "the answers are saved in run.answers.jsonl; the same command with --resume asks none again" in failed.err
    assert "pass --duplicates first" in failed.err
    kept = Path("run.answers.jsonl").read_bytes()
    assert here(capsys, *command, "--resume", "--duplicates", "first").code == 0
    assert Path("run.answers.jsonl").read_bytes() == kept


def test_a_run_that_was_asked_is_asked_again_as_the_error_says(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("app.py").write_text("def answer(question):\n    return 'tea'\n", encoding="utf-8")
    path = write_rows(tmp_path / "q.jsonl", [{"question": "Who?", "references": ["tea"]}])
    command = ("ask", path, "--system", "app.py:answer", "-m", "exact-match", "-o", "run")
    assert here(capsys, *command).code == 0
    assert "pass --resume; to ask all again, name another" in here(capsys, *command).err
    assert "nothing is left to ask" in here(capsys, *command, "--resume").err
    assert "Pass --resume to continue" in here(capsys, *command, "--force").err
    assert here(capsys, *command, "--resume", "--force").code == 0
