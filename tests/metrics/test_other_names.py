"""Names of metrics in other libraries, labels, and metrics in files."""

from __future__ import annotations

import pytest

import ragauge
from ragauge.errors import UnknownNameError
from ragauge.metrics.other_names import in_our_words, notes_on_names
from ragauge.metrics.parse import parse


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
        ("strec@10", "st-recall@10"),
        ("GMAP", "gm-map"),
        ("google_bleu", "gleu"),
        ("ToolCallF1", "tool-call-f1"),
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
    with pytest.raises(UnknownNameError, match=r"unknown metric 'pass.3'; did you mean ragauge repeats -k"):
        parse("pass^3")
    with pytest.raises(UnknownNameError, match="unknown metric 'hallucination'; did you mean groundedness"):
        parse("hallucination")
    with pytest.raises(UnknownNameError, match="unknown metric 'ndgc_5'"):
        parse("ndgc_5")
