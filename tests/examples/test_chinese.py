"""The example in Chinese, from the corpus to the report."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import ragauge
from tests.examples.running import example, shell

for library in ("faiss", "sklearn", "bm25s"):
    pytest.importorskip(library, reason="the pipeline is built of faiss-cpu, scikit-learn and bm25s")


@pytest.fixture(scope="module")
def ran(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    folder = tmp_path_factory.mktemp("zh")
    return folder, example("chinese.py", "-o", "runs", within=folder)


def test_words_are_cut_as_chinese_words(ran: tuple[Path, str]) -> None:
    _, said = ran
    assert re.search(r"分词： 运费 / ", said)
    zero, char, words = (float(one) for one in re.findall(r"^rouge-l，分词器 \S+：([\d.]+)$", said, re.MULTILINE))
    assert zero == 0
    assert char > 0.5
    assert words > 0.3


def test_every_metric_of_text_is_cut_by_the_chinese_tokenizer(ran: tuple[Path, str]) -> None:
    result = ragauge.load(ran[0] / "runs/reranked")
    assert "tokenizer=zh" in result["rouge-l"].signature
    assert result["ndcg@5:undefined=skip"].scored == 39


def test_reranking_helps_in_chinese(ran: tuple[Path, str]) -> None:
    changed = ragauge.compare(ran[0] / "runs/first", ran[0] / "runs/reranked")
    assert changed["hit-rate@1:undefined=skip"].outcome == changed["ndcg@5:undefined=skip"].outcome == "better"
    assert "▲ better" in ran[1]


def test_the_report_is_in_chinese(ran: tuple[Path, str]) -> None:
    page = (ran[0] / "runs/report.html").read_text(encoding="utf-8")
    assert '<html lang="zh"' in page
    assert "重排之前" in page


def test_the_command_line_gives_the_same_numbers(ran: tuple[Path, str]) -> None:
    done = shell("ragauge score runs/answers.jsonl --lang zh -m rouge-l --output-format csv", ran[0])
    assert done.returncode == 0, done.stderr
    value = float(done.stdout.splitlines()[1].split(",")[3])
    assert value == ragauge.load(ran[0] / "runs/reranked")["rouge-l"].value
