"""Names of metrics in other libraries, labels, and metrics in files."""

from __future__ import annotations

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


@pytest.mark.parametrize(("written", "ours"), [
    ("RBP(p=0.8)", "rbp:p=0.8"), ("RBP(p=0.8, rel=2)@10", "rbp@10:p=0.8,level=2"), ("nDCG(cutoff=10)", "ndcg@10"),
    ("nDCG(dcg='exp-log2')@20", "ndcg@20:gain=exp"), ('nDCG(dcg="log2")', "ndcg:gain=linear"),
    ("nDCG(gains={0: 0, 1: 3})@5", "ndcg@5:gain=0:0/1:3"), ("P(rel=2)@5", "precision@5:level=2"),
    ("AP(judged_only=True)", "map:unjudged=drop"), ("AP(judged_only=False)", "map"), ("RR(rel=2)", "mrr:level=2"),
    ("IPrec(recall=0.1)", "iprec@0.1"), ("alpha_nDCG(alpha=0.2)@10", "alpha-ndcg@10:alpha=0.2"), ("SetP", "precision"),
])  # fmt: skip
def test_parameters_of_ir_measures(written: str, ours: str) -> None:
    assert in_our_words(written) == ours
    assert parse(written) == parse(ours)


def test_a_parameter_without_a_counterpart_is_named() -> None:
    with pytest.raises(
        UsageError, match="beta=2 has no counterpart here; of the parameters of ir_measures these have: cutoff"
    ):
        parse("SetF(beta=2)")
    with pytest.raises(UsageError, match="dcg='log'"):
        parse("nDCG(dcg='log')@10")


@pytest.mark.parametrize(("name", "expected"), [
    ("ResponseRelevancy", "answer-relevancy"), ("ContextRecall", "context-recall"), ("ExactMatch", "exact-match"),
    ("bleu_score", "bleu"), ("rouge_score", "rouge-l"), ("chrf_score", "chrf"), ("ToolCallF1", "tool-call-f1"),
])  # fmt: skip
def test_names_of_ragas(name: str, expected: str) -> None:
    assert str(parse(name)) == expected


@pytest.mark.parametrize("label", ["time (s)", "cost (in $)", "f(x)"])
def test_a_label_may_have_brackets(label: str) -> None:
    assert list(parse_all(f"{label}=column:name=latency")) == [label]


COUNTS = ("NumQ", "NumRel", "NumRet(rel=1)", "NumRelRet", "num_q", "num_rel_ret")
ABSENT = (
    "AP_IA", "Accuracy@5", "BPM(T=1)@10", "Compat(p=0.9)", "INSQ", "INST", "MAP_IA", "NERR10(p=0.9)", "NERR11",
    "NERR8@5", "NERR9@5", "NRBP", "P_IA@5", "SDCG@5", "SetAP", "SetRelP", "alpha_DCG@5", "nERR_IA@5", "nNRBP",
    "α_DCG@5", "11pt_avg", "set_map", "gm_bpref", "Rndcg", "relative_P", "utility", "yaap", "G", "wip",
    "is-json", "json",
)  # fmt: skip


@pytest.mark.parametrize("name", [*COUNTS, *ABSENT])
def test_what_is_not_here_says_why(name: str) -> None:
    with pytest.raises(UnknownNameError, match="is a count" if name in COUNTS else "near it:"):
        parse(name)


def test_each_measure_of_ir_measures_is_read_or_refused_with_a_reason() -> None:
    reason = "pip install ir-measures, as the environment 'peers' does"
    measures = pytest.importorskip("ir_measures.measures", reason=reason)
    refused = {one.partition("(")[0].partition("@")[0] for one in (*COUNTS, *ABSENT)}
    assert {name for name in measures.registry if in_our_words(name) is None} <= refused
