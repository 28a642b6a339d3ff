"""The interface in Chinese: what commands say, in the words that the page has; numbers, names and codes stay."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import rich_click as click
from docs.generator.docstrings import docstring_of
from docs.generator.metric_list import entries_with_a_page
from rich.cells import cell_len

from ragauge.cli.faces import helps, without_names
from ragauge.cli.init import COMMENTS, GATE, GUESSED, NAMED, REPORT, SPLIT
from ragauge.cli.main import LazyGroup, group, main
from ragauge.cli.settings import KEYS
from ragauge.cli.terminal import language_of_locale
from ragauge.core.messages import Counted, Face, Message, own_words
from ragauge.core.registry import entries
from ragauge.display.table import Block, Facts, Table, TableColumn, TableRow, worded_block
from ragauge.display.text import plain_text
from ragauge.errors import worded
from ragauge.reports.texts import Texts
from tests.cli.running import here

# Names and ids: of metrics and their methods, columns, options, formats, runs, tests, and words of the data below.
NAMES = frozenset(
    re.findall(
        "[A-Za-z]+",
        "token-f1 groundedness column:name=latency,direction=lower mrr exact-match human --lang TAG auto runs/new "
        "old.jsonl page.html csv ragauge compare score --help --run --qrels DATA Holm t McNemar p "
        "pearson spearman kendall auc kappa alpha MB time out base candidate min_coverage --confident --min-coverage "
        "pass --passing s [gate]",
    )
)


ROWS = [
    {
        "id": f"q{place}",
        "question": f"茶馆几点开门{place}？",
        "answer": "上午九点开门。" if place % 3 else "晚上十点开门。",
        "references": ["上午九点开门。"],
        "contexts": ["本店上午九点开门。"],
        "human": place % 3 / 2,
        "topic": "时间" if place % 2 else "地点",
        "failure": "time out" if place == 11 else None,
        "latency": 0.5 + place / 10,
    }
    for place in range(12)
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Data and two runs: the new one answers everything."""
    folder = tmp_path_factory.mktemp("ui")
    metrics = [
        part for name in ("token-f1", "groundedness", "column:name=latency,direction=lower") for part in ("-m", name)
    ]
    for run, rows in (("old", ROWS), ("new", [{**row, "failure": None} for row in ROWS])):
        data = folder / f"{run}.jsonl"
        data.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), "utf-8")
        with pytest.raises(SystemExit) as ended:
            main(["score", str(data), *metrics, "--by", "topic", "-o", str(folder / "runs" / run)])
        assert ended.value.code == 0
    return folder


COMMANDS = {
    "score": "score old.jsonl -m token-f1 -m groundedness -m column:name=latency,direction=lower --by topic -v",
    "compare": "compare runs/old runs/new -v --by topic --worst 2",
    "compare without correction": "compare runs/old runs/new --correction none --test t --cluster topic",
    "gate": "gate runs/new --baseline runs/old --min token-f1=0.99 --max-failed 0 --min-scored 99",
    "gate by intervals": "gate runs/new --baseline runs/old --min token-f1=0.99 --max-drop token-f1=0.1 --confident",
    "gate that lost samples": "gate runs/old --min token-f1=0.1 --max-failed 0",
    "gate that passes": "gate runs/new --min token-f1=0.1",
    "validate": "validate old.jsonl --human human -m token-f1 -m groundedness --group topic",
    "validate in full": "validate old.jsonl --human human --human latency -m token-f1 -m groundedness -v",
    "validate by labels": "validate runs/new --labels human -m token-f1",
    "validate by confidence": "validate old.jsonl --confidence latency -m token-f1",
    "validate several by confidence": "validate old.jsonl --confidence latency -m token-f1 -m exact-match",
    "explain": "explain runs/new",
    "explain a sample": "explain runs/new --id q3",
    "history": "history runs",
    "repeats": "repeats runs/new --by topic --passing 0.5",
    "repeats without what passes": "repeats runs/new --by topic -m groundedness",
    "report": "report runs/old runs/new -o page.html --force",
    "file not found": "score 缺.csv",
    "run not given": "score",
}


@pytest.mark.parametrize("command", COMMANDS.values(), ids=COMMANDS.keys())
def test_a_command_in_chinese_has_no_english_sentence(
    command: str, folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)
    english = here(capsys, *command.split())
    chinese = here(capsys, *command.split(), "--lang-ui", "zh")
    assert chinese.code == english.code
    shown = re.sub(r"\b[0-9a-f]{8}\b|\bq\d+\b", "", chinese.out + chinese.err)  # commits and ids
    assert set(re.findall("[A-Za-z]+", shown)) - NAMES - {word for row in ROWS for word in row} == set(), shown
    numbers = re.compile(r"[-+]?\d+\.\d{3,}")
    assert numbers.findall(chinese.out) == numbers.findall(english.out)
    assert re.search("[\u4e00-\u9fff] ?[,;:()!?][ \u4e00-\u9fff]", shown) is None, shown


def test_columns_are_aligned_where_characters_are_wide() -> None:
    outcomes = [Message("{mark} {outcome}", *one) for one in (("▲", worded("better")), ("≈", worded("unclear")))]
    rows = (TableRow(("ndcg@10", "0.81", outcomes[0])), TableRow(("mrr", "0.9", outcomes[1])))
    columns = (TableColumn("metric", "name"), TableColumn("value", "number"), TableColumn(""))
    blocks: list[Block] = [
        Facts((("baseline", "runs/old"), ("run", "runs/new"))),
        Table(Message("{paired}", Counted(12, "paired sample")), columns, rows),
    ]
    assert plain_text([worded_block(block, Face("zh")) for block in blocks]).splitlines() == [
        "基准  runs/old",
        "运行  runs/new",
        "",
        "12 个配对样本",
        "指标       值",
        "───────────────────────────",
        "ndcg@10  0.81  ▲ 更好",
        "mrr      0.9   ≈ 差异不显著",
    ]


def test_json_is_the_same_in_every_language(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    runs = [str(folder / "runs" / run) for run in ("old", "new")]
    for command in (
        ["compare", *runs],
        ["history", *runs],
        ["repeats", runs[1], "--by", "topic"],
        ["explain", runs[1]],
        ["gate", runs[1], "--min", "token-f1=0"],
    ):
        english = here(capsys, *command, "--output-format", "json")
        assert here(capsys, "--lang-ui", "zh", *command, "--output-format", "json").out == english.out


def test_the_language_comes_from_option_variable_file_and_locale(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """In this order, each wins over those after it."""
    monkeypatch.chdir(tmp_path)
    command = ["gate", str(folder / "runs" / "new"), "--min", "token-f1=0.1"]

    def passed(*options: str) -> str:
        return here(capsys, *options, *command).out.split(" (")[0].split("（")[0]

    english, chinese = "Ship", "可以上线"
    for name in ("LC_ALL", "LC_MESSAGES", "LANG", "LANGUAGE"):
        monkeypatch.delenv(name, raising=False)
    assert passed() == english
    monkeypatch.setenv("LANG", "zh_CN.UTF-8")
    assert passed() == chinese
    monkeypatch.setenv("LC_ALL", "en_US.UTF-8")
    assert passed() == english
    Path("ragauge.toml").write_text('[score]\nlang-ui = "zh"\n', "utf-8")
    assert passed() == chinese
    monkeypatch.setenv("RAGAUGE_LANG_UI", "en")
    assert passed() == english
    assert passed("--lang-ui=zh") == chinese


def paragraphs(command: click.Command) -> Iterator[str]:
    """Yield what the help of a command says, each paragraph in one line."""
    helps = [option.help or "" for option in command.params if isinstance(option, click.Option)]
    for text in [*(command.help or "").split("\n\n"), *helps]:
        yield without_names(" ".join(text.split()))[0]


def test_all_help_is_in_chinese() -> None:
    """The table has each paragraph of each command and each setting, and beside them only summaries of metrics.

    A metric that has none there shows its English one.
    """
    context = click.Context(group)
    commands = [group, *[group.get_command(context, name) for name in LazyGroup.names]]
    english = {text for command in commands if command for text in paragraphs(command)}
    assert "" not in english, "each option has help"
    panels = {panel.name for command in commands if command for panel in getattr(command, "panels", ())}
    comments = {
        *COMMENTS.values(),
        *GATE.values(),
        *REPORT.values(),
        NAMED,
        GUESSED,
        SPLIT,
        *[key.help for key in KEYS],
    }
    wanted = english | comments | panels | {"Show this message and exit."}
    summaries = {docstring_of(entry.cls).summary for entry in entries_with_a_page() if entry.instance is None}
    summaries |= {entry.meaning for entry in entries("metric").values() if entry.meaning}
    assert wanted - helps().keys() == set()
    assert helps().keys() - wanted - summaries == set()
    for text, chinese in helps().items():
        assert re.search("[\u4e00-\u9fff]", chinese), text
        assert re.search("[\u4e00-\u9fff] ?[,;:()][ \u4e00-\u9fff]", chinese) is None, chinese
        names = set(re.findall(r"(?<![\w-])--?[a-z][\w-]*|\b[A-Z]{4,}\b", text))
        assert names - set(re.findall(r"--?[a-z][\w-]*|[A-Z]{4,}", chinese)) == set(), text


@pytest.mark.parametrize("name", ["score", "ask"])
def test_each_option_is_in_a_panel_by_what_it_is_for(name: str) -> None:
    command: Any = group.get_command(click.Context(group), name)
    options = {max(option.opts, key=len) for option in command.params if isinstance(option, click.Option)}
    shown = [flag for panel in command.panels for flag in panel.options]
    assert sorted(shown) == sorted(options - {"--help-all"})


@pytest.mark.parametrize("name", ["", *LazyGroup.names, "score --help-all"])
def test_help_in_chinese_has_no_english_sentence(
    name: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("RAGAUGE_LANG_UI", "zh")
    done = here(capsys, *name.split(), "--help")
    assert (done.code, done.err) == (0, "")
    assert "用法：" in done.out
    assert "\x1f" not in done.out
    assert {cell_len(line) for line in done.out.splitlines()} == {80}
    assert re.findall(r"\b(?:[a-z]{2,} ){3,}[a-z]{2,}", done.out) == []
    assert re.search("Usage|Options|default|required|exit|INTEGER|FLOAT", done.out) is None
    assert re.search("^[│ ]*[，。；：、）]", done.out, re.MULTILINE) is None


def test_help_stays_english_after_it_was_chinese(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("RAGAUGE_LANG_UI", raising=False)
    english = here(capsys, "--lang-ui", "en", "gate", "--help").out
    assert here(capsys, "gate", "--help", "--lang-ui", "zh").out != english
    assert here(capsys, "gate", "--lang-ui=en", "--help").out == english
    assert "Usage: ragauge gate [OPTIONS] RUN" in english


@pytest.mark.parametrize(
    "command",
    [
        "score --nope",
        "score --forc",
        "score x --limit a",
        "score x --ci a",
        "score x --limit 0",
        "score --metric",
        "score x --output-format x",
        "score --force=3",
        "score a b c",
        "gate",
        "calibrate x",
        "scor",
        "score x --lang-ui fr",
    ],
)
def test_errors_of_the_command_line_are_chinese(
    command: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RAGAUGE_LANG_UI", "zh")
    done = here(capsys, *command.split())
    assert (done.code, done.out) == (2, "")
    assert "错误：" in done.err
    words = re.sub(
        r"'[^']*'|(?<=例如：)ragauge .*|ragauge( [a-z]+)?( --help)?|--?[a-z-]+|DATA|RUN|x>=1|\bx\b", "", done.err
    )
    assert re.findall("[A-Za-z]{2,}", words.replace("score 或 doctor", "")) == [], done.err


@pytest.mark.parametrize(
    ("variables", "language"),
    [
        ({}, None),
        ({"LANG": "zh_CN.UTF-8"}, "zh"),
        ({"LANG": "zh_SG.utf8"}, "zh"),
        ({"LANG": "zh"}, "zh"),
        ({"LANG": "zh_Hans_HK"}, "zh"),
        ({"LANG": "zh_TW.UTF-8"}, None),
        ({"LANG": "zh_HK.UTF-8"}, None),
        ({"LANG": "zh_Hant"}, None),
        ({"LANG": "de_DE.UTF-8"}, None),
        ({"LANG": "zh_CN.UTF-8", "LC_ALL": "en_US.UTF-8"}, "en"),
        ({"LANG": "en_US.UTF-8", "LC_MESSAGES": "zh_CN.UTF-8"}, "zh"),
        ({"LC_ALL": "en_US.UTF-8", "LANGUAGE": "zh_CN:en"}, "zh"),
        ({"LANG": "zh_CN.UTF-8", "LANGUAGE": "en_GB:zh_CN"}, "en"),
        ({"LANG": "de_DE.UTF-8", "LANGUAGE": "de:ja:zh"}, "zh"),
        ({"LANG": "zh_TW.UTF-8", "LANGUAGE": "zh_TW:zh_CN"}, "zh"),
        ({"LANG": "zh_CN.UTF-8", "LANGUAGE": "de"}, None),
        ({"LANG": "C", "LANGUAGE": "zh_CN"}, None),
        ({"LANG": "C.UTF-8", "LANGUAGE": "zh_CN"}, None),
        ({"LC_ALL": "POSIX", "LANG": "zh_CN.UTF-8"}, None),
        ({"LANGUAGE": "zh_CN"}, None),
        ({"LANG": "zh_CN.UTF-8", "LANGUAGE": ""}, "zh"),
    ],
    ids=str,
)
def test_the_language_of_a_locale(variables: dict[str, str], language: str | None) -> None:
    """LANGUAGE wins as in GNU gettext; a locale of traditional characters does not ask for simplified ones."""
    assert language_of_locale(variables) == language


def test_every_text_of_the_page_is_in_both_languages() -> None:
    texts = Texts("zh").all
    assert set(texts["zh"]) == set(texts["en"])


def test_a_folder_that_looks_like_words_stays() -> None:
    saved = Message("saved to {folder}", "a; no")
    assert saved.wording(Face("zh")) == "已保存到 a; no"


def test_data_that_look_like_words_stay() -> None:
    assert [own_words(text, Face("zh")) for text in ("茶馆", "a, b", "12 apples", "")] == [
        "茶馆",
        "a, b",
        "12 apples",
        "",
    ]


def test_a_column_that_pairs_no_samples_is_an_error_of_history(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    done = here(capsys, "history", folder / "runs", "--on", "topic")
    assert (done.code, done.out) == (3, "")
    assert done.err.startswith("error: --on topic pairs no samples: ")
    assert "column 'topic' does not tell samples apart" in done.err


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ("[score]", "error: there are no rules for a gate to check. Give one: ragauge gate"),
        ("[gate]\nmax-drop = {token-f1 = 0}", "error: [gate.max-drop] needs a run to compare with: pass --baseline"),
    ],
)
def test_an_export_tells_of_its_gate_in_words_of_the_file(
    table: str, message: str, folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    settings = tmp_path / "gate.toml"
    settings.write_text(f"{table}\n", "utf-8")
    done = here(capsys, "export", folder / "runs" / "new", "--to", "junit", "--config", settings)
    assert done.code == 2
    assert done.err.startswith(message)
