"""Errors, notes and progress in Chinese: whole messages, names and data as they are."""

import re
import shutil
import tomllib
from pathlib import Path
from typing import Annotated, Any, Literal

import pytest
from docs.generator.docstrings import docstring_of
from docs.generator.metric_list import entries_with_a_page

from ragauge.cli.faces import helps
from ragauge.cli.main import main
from ragauge.cli.terminal import Meter
from ragauge.core.messages import Face, wording_of
from ragauge.core.options import Range, describe
from ragauge.metrics.other_names import notes_on_names
from tests.cli.running import here

BAD = """\
{"id":"a","answer":5,"references":["x"]}
{"id":"a","answer":{"a":1},"references":[1,{"a":1}]}
{"id":"b" "x"}
[1]
"""
FILES = {
    "good.jsonl": '{"id":"a","answer":"x","references":["x"]}\n',
    "bad.jsonl": BAD,
    "none.csv": "id,answer\n",
    "twice.csv": "answer,answer\n1,2\n",
    "key.toml": '[score]\nmetric = "x"\n',
    "value.toml": '[score]\nlimit = "x"\n',
    "ok.run": "q Q0 d 1 0.5 tag\n",
    "bad.qrels": "q 0 d 1\nq d 1\n",
    "other.qrels": "p 0 d 1\n",
    "other.jsonl": '{"id":"b","answer":"x","references":["x"]}\n',
    "questions.jsonl": '{"question":"x"}\n',
    "failed.jsonl": '{"id":"a","answer":"x","references":["x"],"failure":"down"}\n',
    "half.jsonl": '{"references":["x"],"failure":"down"}\n{"answer":"x","references":["x"]}\n',
    "unknown.csv": "foo,bar\n1,2\n",
    "unnamed.jsonl": '{"": 1}\n',
}
ERRORS = {
    "rows": ("score bad.jsonl -m token-f1", "bad.jsonl：5 个问题|第 2 行：编号 'a' 与第 1 行重复|第 4 行：每行必须是"),
    "no rows": ("score none.csv", "none.csv：没有数据行"),
    "two columns": ("score twice.csv", "twice.csv：第 1 行：有两列都叫 answer"),
    "metric": ("score good.jsonl -m nope", "没有指标 'nope'；可用：abstained"),
    "metric with a hint": ("score good.jsonl -m tokenf1", "没有指标 'tokenf1'；是不是 token-f1？"),
    "option": ("score good.jsonl -m token-f1:cas=1", "token-f1 没有选项 'cas'；是不是 case？可用：tokenizer"),
    "value of an option": ("score good.jsonl -m ndcg@0", "ndcg 的选项 'k' 必须是 1 到 1000000 的整数或 none；得到 0"),
    "column": ("score good.jsonl -m mrr", "mrr 需要列 retrieved 和 relevance，或 contexts 和 reference_contexts；"),
    "no such column": ("score good.jsonl --by nope", "--by nope：数据中没有列 'nope'；可用："),
    "column without a name": (
        "score unnamed.jsonl",
        "默认指标都无法计算|数据中有：''（没有名称的列）|系统的回答",
    ),
    "file with a hint": ("score goo.jsonl", "goo.jsonl：找不到文件；是不是 good.jsonl、other.jsonl 或 bad.jsonl？"),
    "judge": (
        "score good.jsonl --judge nonsense",
        "--judge 必须是服务的网址|app.py:ask；得到 'nonsense'",
    ),
    "level": ("score good.jsonl --ci 2", "--ci 必须是 0 到 1 之间的数，如 0.95；得到 2.0"),
    "choice": ("history runs --by nonsense", "--by 必须是 date、tag 或 commit；得到 'nonsense'"),
    "run": ("explain good.jsonl", "good.jsonl 不是已保存的运行；请给出 ragauge score -o 生成的目录"),
    "gate": ("gate runs/new", "门禁没有规则。请至少给出一条，如 --min mrr=0.4、"),
    "writer": ("export runs/new --to nope", "没有导出目标 'nope'；可用：github"),
    "folder": ("report runs/new -o nowhere/page.html", "所在的文件夹不存在"),
    "saved run": (
        "init runs/new --force",
        "runs/new：是保存的运行，已经评过分；请用 ragauge report runs/new 或 ragauge explain runs/new",
    ),
    "folder of data": ("score runs", "runs：是文件夹；请指定其中的文件"),
    "key of settings": (
        "score good.jsonl --config key.toml",
        "key.toml 第 2 行：[score] 没有 'metric'；是不是 metrics？",
    ),
    "value of settings": (
        "score good.jsonl --config value.toml",
        "value.toml 第 2 行的选项 'limit' 必须是整数；得到 'x'",
    ),
    "judge not given": (
        "score good.jsonl -m judged-faithfulness",
        "judged-faithfulness 要由大模型评判，而没有指明评判者。请给出 --judge URL --judge-model NAME。",
    ),
    "option not given": (
        "score good.jsonl -m column",
        "column 缺少选项 'name'：应为数值列的列名，如 column:name=latency",
    ),
    "form of a metric": (
        "score good.jsonl -m token-f1:x",
        "看不懂 'token-f1:x'：'x' 不是 key=value；带选项的指标写法如 ndcg@10:gain=exp",
    ),
    "fields of judgements": (
        "score --run ok.run --qrels bad.qrels",
        "bad.qrels：第 2 行：有 3 个字段，应为 4 个：'q d 1'",
    ),
    "other queries": (
        "score --run ok.run --qrels other.qrels",
        "ok.run 和 other.qrels：运行里没有标注过的查询：运行里有如 'q'",
    ),
    "target": (
        "export runs/new --to junit",
        "没有门禁要查的规则。请给一条：ragauge gate runs/new --min token-f1=0.8 --junit gate.xml",
    ),
    "target without a file": (
        "export runs/new --to markdown",
        "导出目标 'markdown' 缺少选项 'path'：应为要写的文件，如",
    ),
    "no baseline": ("gate runs/new --max-drop token-f1=0.1", "--max-drop token-f1=0.1 需要与之比较的运行"),
    "labels": ("validate good.jsonl --human id -m token-f1", "--human id：标注必须是数字"),
    "viewer": ("view good.jsonl", "good.jsonl 不是文件夹；请给出存放运行的文件夹，如 ragauge view runs"),
    "image": ("score image.csv", "image.csv：是 PNG 图片，不是表格；请给出 JSON Lines、JSON"),
    "encoding": (
        "score latin.csv --strict",
        "latin.csv：第 1 行：不是 UTF-8：此行第 4 字节为 0xe9（按 cp1252",
    ),
    "encoding of a text": ("tokenize latin.csv", "latin.csv：第 4 字节不是 UTF-8；请把文件另存为 UTF-8"),
    "rule on the wrong side": ("gate runs/new --max token-f1=1", "token-f1 越高越好：请用 --min，不用 --max"),
    "replicates": ("score good.jsonl --resamples -3", "--resamples 必须是 0（不算区间）到 1,000,000 的整数；得到 -3"),
    "no shared samples": (
        "compare runs/new runs/other",
        "两次运行按 'id' 没有共同的样本：runs/new：'a'；runs/other：'b'；",
    ),
    "damaged run": ("compare runs/new runs/damaged", "runs/damaged/scores.parquet 已损坏：内容与保存时不同"),
    "damaged manifest": ("explain runs/broken", "runs/broken/manifest.json 已损坏：内容与保存时不同"),
    "lost manifest": ("explain runs/lost", "runs/lost/manifest.json 已损坏：文件不见了"),
    "rate": ("ask good.jsonl --system os:getcwd --rate 3 -o runs/x", "--rate 必须是每秒、每分或每小时的次数"),
    "no system": ("ask good.jsonl --system os:sep -o runs/x", "--system 必须是接收问题、返回回答的函数；得到 '/'"),
    "not from a system": (
        "ask questions.jsonl --system os.path:basename -m ndcg -o runs/x",
        "ndcg 需要 relevance，系统不会给出，要由问题文件提供；其中只有 id, question",
    ),
    "exported file": ("export runs/new --to markdown[path=good.jsonl]", "good.jsonl 已存在。请换一个文件名，或用"),
    "export to a folder": ("export runs/new --to markdown[path=runs]", "runs：是文件夹；请指定已有文件夹中的文件"),
    "report to a folder": ("report runs/new -o runs", "runs：是文件夹；请指定已有文件夹中的文件"),
    "directory without runs": ("history nowhere", "nowhere 中没有已保存的运行；用 ragauge score -o runs/today 保存"),
    "judgements of another kind": (
        "score --run unknown.csv --qrels unknown.csv",
        "unknown.csv：第 1 行：有 1 个字段，应为 6 个：'foo,bar'|没有一行符合：TREC run 的一行是",
    ),
    "no evidence": (
        "explain runs/new --output-format json",
        "此运行没有依据。请用 ragauge score -o 计算有依据的指标，如 groundedness。",
    ),
    "calibration": (
        "calibrate good.jsonl -o x.toml --human id",
        "校准 support 需要 contexts，以及 answer 或 references",
    ),
    "share of calibration": ("calibrate good.jsonl -o x.toml --alpha 5", "--alpha 必须是大于 0、小于 1 的数；得到 5.0"),
    "module": ("ask good.jsonl --system nope:nope -o runs/x", "当前文件夹没有模块 'nope'"),
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("messages")
    for name, text in FILES.items():
        (folder / name).write_text(text, "utf-8")
    (folder / "image.csv").write_bytes(b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR")
    (folder / "latin.csv").write_bytes(b"caf\xe9,b\n1,2\n")
    runs = folder / "runs"
    for name, data in (("new", "good.jsonl"), ("other", "other.jsonl")):
        with pytest.raises(SystemExit):
            main(["score", str(folder / data), "-m", "token-f1", "-o", str(runs / name)])
    for name in ("damaged", "broken", "lost", "same"):
        shutil.copytree(runs / "new", runs / name)
    (runs / "damaged" / "scores.parquet").write_bytes(b"PAR1")
    (runs / "broken" / "manifest.json").write_text("{", "utf-8")
    (runs / "lost" / "manifest.json").unlink()
    return folder


@pytest.mark.parametrize(("command", "words"), ERRORS.values(), ids=ERRORS.keys())
def test_an_error_is_chinese(
    command: str, words: str, folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)
    monkeypatch.setenv("RAGAUGE_LANG_UI", "zh")
    done = here(capsys, *command.split())
    assert done.code in (2, 3)
    assert done.err.startswith("错误：")
    for word in words.split("|"):
        assert word in done.err
    # An English sentence has three words in a row that are no names.
    sentence = r"(?<![\w-])(?:[a-z]{2,} ){2,}[a-z]{2,}"
    assert re.findall(sentence, re.sub(r"(?<=ragauge) \w+", "", done.err)) == []


def test_what_stands_before_the_scores_and_after_them(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)
    for language, notes in (
        ("en", ["1 of 2 samples failed; the scores leave them out", "1 failed: down"]),
        ("zh", ["2 个样本中 1 个失败；得分不含它们", "1 个失败：down"]),
    ):
        monkeypatch.setenv("RAGAUGE_LANG_UI", language)
        assert here(capsys, "score", "half.jsonl", "-m", "token-f1").err.splitlines()[:2] == notes
    failed = here(capsys, "score", "failed.jsonl", "-m", "token-f1")
    assert (failed.code, failed.out) == (4, "")
    assert failed.err.splitlines()[-1] == "错误：没有得分：所有样本都失败了：down"
    same = here(capsys, "compare", "runs/new", "runs/../runs/new")
    assert "runs/new 与自身比较：两个名称是同一个目录" in same.err
    assert "自身" not in here(capsys, "compare", "runs/new", "runs/same").err
    here(capsys, "gate", "runs/new", "--min", "token-f1=0.1", "--junit", "gate.xml")
    assert Path("gate.xml").exists()
    unknown = here(capsys, "init", "unknown.csv", "--force")
    assert "没有认出回答所在的列：请写在 [map] 下" in unknown.err
    Path("ragauge.toml").unlink()
    monkeypatch.setenv("RAGAUGE_LANG_UI", "fr")
    wrong = here(capsys, "score", "good.jsonl")
    assert (wrong.code, wrong.err) == (2, "error: the variable RAGAUGE_LANG_UI must be zh or en; got 'fr'\n")
    assert here(capsys, "--lang-ui", "en", "score", "good.jsonl", "-m", "token-f1").code == 0


@pytest.mark.parametrize(
    ("name", "note"),
    [
        (
            "exact_match",
            "exact_match 在这里是 exact-match：各种语言的文本都先规整；exact-match:compat=squad 按 SQuAD 的办法规整",
        ),
        ("ndcg_cut_10", "ndcg_cut_10 在这里是 ndcg@10"),
        ("faithfulness", "faithfulness 不用大模型；judged-faithfulness 会用"),
    ],
)
def test_a_name_of_elsewhere_is_explained_in_chinese(name: str, note: str) -> None:
    assert [wording_of(one, Face("zh")) for one in notes_on_names([name])] == [note]


def test_unused_columns_are_named_with_the_flags_that_would_use_them(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data = tmp_path / "a.csv"
    data.write_text(
        "question,references,answer,sources\n" + "".join(f"{i}?,{i}.,{i}.,It is {i}.\n" for i in range(9)), "utf-8"
    )
    for language, note in (
        ("en", "unused columns: sources (looks like contexts: --map contexts=sources)"),
        ("zh", "未使用的列：sources（像是 contexts：--map contexts=sources）"),
    ):
        done = here(capsys, "score", data, "-m", "token-f1", "--lang-ui", language)
        assert note in done.err.splitlines()


def test_progress_is_chinese(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 0.0
    monkeypatch.setattr("ragauge.cli.terminal.monotonic", lambda: now)
    meter = Meter(start=0.0)

    def shown() -> str:
        return wording_of(meter.progress(), Face("zh"))

    now = 7.0
    assert shown() == "正在加载数据和模型，7 秒"
    meter.asking(0, 0, 10)
    assert shown() == "提问 0/10"
    now = 9.0
    meter.asking(3, 2, 10)
    assert str(meter) == "asking 3/10, 2 failed, 1.5 a second, 5 s left"
    assert shown() == "提问 3/10，2 个失败，每秒 1.5 个，还要 5 秒"
    meter(2, 8)
    meter.replied(2, 9)
    assert shown() == "评分 2/8：9 个问题已答 2 个"
    now = 10.0
    meter.replied(3, 99)
    assert shown() == "评分 2/8：99 个问题已答 3 个，每秒 1.0 个，还要 1 分 36 秒"


def test_doctor_speaks_chinese(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("RAGAUGE_LANG_UI", "zh")
    lines = here(capsys, "doctor").out.splitlines()
    purposes = {line.split()[1]: line[16:] for line in lines if re.match("ok|-|BROKEN|VERSION", line)}
    english = [name for name, purpose in purposes.items() if not re.search("[\u4e00-\u9fff]", purpose)]
    assert english == ["needed"]
    assert "设置：这里没有 ragauge.toml；可用 ragauge init 生成" in lines


def test_init_speaks_chinese(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("RAGAUGE_LANG_UI", "zh")
    Path("a.csv").write_text("编号,问题,模型回答,查到的资料,别的\n1,a,b,c|||c,d\n2,a,b,c|||c,d\n", "utf-8")
    assert [line.partition("：")[0] for line in here(capsys, "init", "a.csv").err.splitlines()] == [
        "认出的列",
        "猜测的列，请核对",
        "评分不用的列，可用于 --by 和 --cluster",
        "已生成 ragauge.toml；下一步",
        "再生成页面",
    ]
    settings = Path("ragauge.toml").read_text("utf-8")
    assert tomllib.loads(settings) == {
        "score": {},
        "map": {"contexts": "查到的资料"},
        "split": {"contexts": "|||"},
        "gate": {},
        "report": {},
    }
    comments = re.findall(r"(?:^|  )# (?!\S+ = |\[)(.+)", settings, re.MULTILINE)
    english = [comment for comment in comments if not re.search("[\u4e00-\u9fff]", comment)]
    names = "question, answer, references, contexts, reference_contexts, retrieved, relevance, language, id."
    assert len(comments) > 30
    assert english == [names]


def test_metrics_are_listed_and_explained_in_chinese(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RAGAUGE_LANG_UI", "zh")
    listed = " ".join(here(capsys, "metrics").out.split())
    # A new metric may have no Chinese summary yet.
    for entry in entries_with_a_page():
        if (summary := docstring_of(entry.cls).summary) not in helps():
            listed = listed.replace(summary, "")
    assert re.findall(r"\b(?:[a-z]{2,} ){3,}[a-z]{2,}", listed) == []
    explained = here(capsys, "metrics", "ndcg").out.splitlines()
    assert explained[2] == "归一化折损累计增益：前 k 个的 DCG，除以理想排序的 DCG"
    assert explained[4] == "评分：ragauge score DATA -m ndcg@10"
    assert "  k=1 到 1000000 的整数（默认 none）" in explained
    assert "  matcher=匹配方式（默认 contains）" in explained


CHOICES: dict[str, Any] = {
    "samples": Literal["samples"],
    "auto、en 或 zh": Literal["auto", "en", "zh"],
    "大于 0、不大于 1 的数或文件": Annotated[float, Range(0, 1, above=True)] | Annotated[str, "a file"],
    "linear 或用 '/' 连接的 a:b 对，每个是 0 到 9 的数": (
        Literal["linear"] | tuple[tuple[Annotated[float, Range(0, 9)], float], ...]
    ),
    "answer 或 question（多个用 '/' 连接）": tuple[Literal["answer", "question"], ...],
}


@pytest.mark.parametrize(("chinese", "hint"), CHOICES.items(), ids=CHOICES.keys())
def test_values_that_are_typed_stay(chinese: str, hint: Any) -> None:
    assert wording_of(describe(hint), Face("zh")) == chinese


CLICK = {
    "score --nope": "错误：没有选项 '--nope'\n",
    "nope": "没有命令 'nope'；可用：ask",
    "gate": "错误：缺少参数 'RUN'",
    "export runs": "错误：请给出目标及其文件：",
    "score --limit": "错误：选项 '--limit' 需要一个值\n",
    "score --limit x": "错误：'--limit' 的值不对：'x' 不是数字\n",
    "score --limit -1": "不在范围",
    "score --verbose=1": "错误：选项 '--verbose' 不带值\n",
    "score a.csv b.csv": "错误：多余的参数：b.csv",
    "score --output-format nope": "'nope' 不在可选值 'table', 'json', 'csv', 'markdown' 之中\n",
    "score a.csv --workers b.csv": "'b.csv' 不是进程数；请把 DATA 写在 --workers 前面",
}


@pytest.mark.parametrize(("command", "words"), CLICK.items(), ids=CLICK.keys())
def test_wrong_calls_are_chinese(
    command: str, words: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    english = here(capsys, *command.split())
    assert "error: " in english.err.lower()
    monkeypatch.setenv("RAGAUGE_LANG_UI", "zh")
    done = here(capsys, *command.split())
    assert (done.code, done.out) == (english.code, "")
    assert words in done.err
    texts = re.sub(r"例如：ragauge .*", "", done.err)
    assert re.findall(r"(?<![\w-])(?:[a-z]{2,} ){2,}[a-z]{2,}", texts) == []
    monkeypatch.setenv("RAGAUGE_LANG_UI", "en")
    assert here(capsys, *command.split()) == english
