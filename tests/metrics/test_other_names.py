"""Names of metrics in other libraries, labels, and metrics in files."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import ragauge
from ragauge.errors import UnknownNameError, UsageError
from ragauge.metrics.other_names import in_our_words, notes_on_names
from ragauge.metrics.parse import parse, parse_all


@pytest.mark.parametrize(
    ("name", "ours"),
    [
        ("ndcg_cut_10", "ndcg@10"),
        ("ndcg_cut", "ndcg"),
        ("nDCG@10", "ndcg@10"),
        ("NDCG_10", "ndcg@10"),
        ("recip_rank", "mrr"),
        ("RR@10", "mrr@10"),
        ("MRR", "mrr"),
        ("P@5", "precision@5"),
        ("P_5", "precision@5"),
        ("P.5", None),
        ("set_P", "precision"),
        ("recall_100", "recall@100"),
        ("R@100", "recall@100"),
        ("map_cut_10", "map@10"),
        ("AP@10", "map@10"),
        ("success_1", "success@1"),
        ("hit_rate@3", "hit-rate@3"),
        ("hits@3", "hit-rate@3"),
        ("Rprec", "r-precision"),
        ("iprec_at_recall_0.10", "iprec@0.10"),
        ("rouge1", "rouge-1"),
        ("rougeL", "rouge-l"),
        ("rougeLsum", "rouge-lsum"),
        ("rouge_l", "rouge-l"),
        ("rougeL:beta=2", "rouge-l:beta=2"),
        ("context_precision", "context-precision"),
        ("answer_relevancy", "answer-relevancy"),
        ("exact_match", "exact-match"),
        ("bert_score", "bertscore"),
        ("chrF++", "chrf++"),
        ("wisdom", None),
        ("hallucination", None),
    ],
)
def test_names_of_other_libraries(name: str, ours: str | None) -> None:
    assert in_our_words(name) == ours
    if ours not in (None, "bertscore", "rouge-l:beta=2"):
        assert parse(name) == parse(str(ours))


ROUGE = "tokenises texts of any language; rouge-l:tokenizer=rouge-score reads ASCII words alone, as rouge-score does"


def test_a_note_says_what_differs() -> None:
    assert notes_on_names(["recip_rank", "mrr", "context_recall", "rougeL"]) == [
        "recip_rank is mrr here",
        "context_recall is context-recall here, which asks no language model; judged-context-recall does",
        f"rougeL is rouge-l here, which {ROUGE}",
    ]
    rows = [{"retrieved": ["a"], "relevance": {"a": 1}}]
    result = ragauge.evaluate(rows, ["ndcg_cut_10", "P@5"], resamples=0)
    assert [score.metric for score in result.table] == ["ndcg@10", "precision@5"]
    assert {"ndcg_cut_10 is ndcg@10 here", "P@5 is precision@5 here"} <= set(result.data.notes)


def test_a_name_that_nobody_uses_is_still_unknown() -> None:
    with pytest.raises(UnknownNameError, match="unknown metric 'hallucination'; did you mean groundedness"):
        parse("hallucination")
    with pytest.raises(UnknownNameError, match="unknown metric 'ndgc_5'"):
        parse("ndgc_5")


def test_a_label_names_a_metric_everywhere(tmp_path: Path) -> None:
    rows = [{"id": name, "latency": time, "answer": name, "references": "a"} for name, time in (("a", 2.0), ("b", 4.0))]
    specs = ["时延=column:name=latency,direction=lower", "em=exact-match"]
    result = ragauge.evaluate(rows, specs, resamples=0)
    assert [score.metric for score in result.table] == ["时延", "em"]
    assert result["时延"].value == 3.0
    result.save(tmp_path / "run")
    again = ragauge.load(tmp_path / "run")
    assert again["时延"].value == 3.0
    manifest = json.loads((tmp_path / "run" / "manifest.json").read_text(encoding="utf-8"))
    assert manifest["run"]["metrics"]["时延"] == "column:direction=lower,name=latency"


@pytest.mark.parametrize("spec", ["both=ndcg@1,3", "=ndcg", " =mrr"])
def test_a_label_is_of_one_metric(spec: str) -> None:
    with pytest.raises(UsageError, match="give one label to one metric"):
        parse_all(spec)


def test_a_metric_in_a_file(tmp_path: Path) -> None:
    path = tmp_path / "checks.py"
    path.write_text(
        "import ragauge\n\n\ndef polite(sample):\n    return float('bitte' in sample.answer)\n\n\n"
        "@ragauge.metric(needs=('answer',), name='short')\ndef short(sample):\n    return len(sample.answer) < 9\n\n\n"
        "limit = 3\n",
        encoding="utf-8",
    )
    rows = [{"answer": "ja bitte"}, {"answer": "nein, danke sehr"}]
    result = ragauge.evaluate(rows, [f"{path}:polite", f"s={path}:short"], resamples=0)
    assert [score.value for score in result.table] == [0.5, 0.5]
    assert [score.metric for score in result.table] == [f"{path}:polite", "s"]
    with pytest.raises(UnknownNameError, match=r"unknown name in .*checks.py: 'polit'; did you mean polite\?"):
        parse(f"{path}:polit")
    with pytest.raises(UsageError, match="must be a function of one sample, or a metric; got 3"):
        parse(f"{path}:limit")
    with pytest.raises(UsageError, match=r"no.py: file not found; name what is in a file as in -m checks.py:function"):
        parse(f"{tmp_path}/no.py:f")
    (tmp_path / "broken.py").write_text("import nothing_of_this_name", encoding="utf-8")
    with pytest.raises(UsageError, match=r"broken.py cannot be imported: ModuleNotFoundError"):
        parse(f"{tmp_path}/broken.py:f")
