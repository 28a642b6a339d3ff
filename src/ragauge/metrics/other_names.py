"""Names that other libraries give to metrics: which spec they are here, and where the meaning differs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from ragauge.core.lazy import lazy_pattern
from ragauge.core.messages import Message
from ragauge.core.names import HOMES
from ragauge.core.spec import quoted, split_options, with_quotes
from ragauge.errors import UnknownNameError, UsageError, did_you_mean, worded

_SAME: Mapping[str, str] = {
    "recip-rank": "mrr",
    "rr": "mrr",
    "ap": "map",
    "p": "precision",
    "set-p": "precision",
    "r": "recall",
    "set-recall": "recall",
    "set-f": "f1",
    "setp": "precision",
    "setr": "recall",
    "setf": "f1",
    "α-ndcg": "alpha-ndcg",
    "rprec": "r-precision",
    "ndcg-cut": "ndcg",
    "map-cut": "map",
    "hit": "hit-rate",
    "hits": "hit-rate",
    "hr": "hit-rate",
    "iprec-at-recall": "iprec",
    "rouge1": "rouge-1",
    "rouge2": "rouge-2",
    "rougel": "rouge-l",
    "rougelsum": "rouge-lsum",
    "em": "exact-match",
    "sacrebleu": "bleu",
    "bert-score": "bertscore",
    "chrfpp": "chrf++",
    "non-llm-string-similarity": "edit-similarity",
    "all-score": "nugget-all",
    "vital-score": "nugget-vital",
    "strict-all-score": "nugget-strict-all",
    "strict-vital-score": "nugget-strict-vital",
    "strec": "st-recall",
    "strecall": "st-recall",
    "gmap": "gm-map",
    "google-bleu": "gleu",
    "dist-1": "distinct-1",
    "dist-2": "distinct-2",
    "toolcallf1": "tool-call-f1",
    "tool-correctness": "tool-call-f1",
    "over-refusal-rate": "over-refusal",
    "bleu-score": "bleu",
    "rouge-score": "rouge-l",
    "chrf-score": "chrf",
    "iou": "span-iou",
    "word-error-rate": "wer",
    "character-error-rate": "cer",
    "language-consistency": "answer-language",
    "coverage": "extractive-coverage",
    "density": "extractive-density",
    "vital": "nugget-vital",
}
"""Name of trec_eval, pytrec_eval, pyndeval, ir_measures, ranx, rouge-score, nltk, ragas, DeepEval, nuggetizer,
evaluate, newsroom or BERGEN, in lower case with hyphens -> ours."""

_JUDGED = (
    "context-precision context-recall context-relevancy context-utilization answer-relevancy answer-correctness "
    "faithfulness"
)
_NO_JUDGE = "asks no language model; judged-{name} does"
_ROUGE = "tokenises texts of any language; {name}:tokenizer=rouge-score reads ASCII words alone, as rouge-score does"
_MEANINGS: Mapping[str, str] = {
    **dict.fromkeys(_JUDGED.split(), _NO_JUDGE),
    **dict.fromkeys(("rouge-1", "rouge-2", "rouge-l", "rouge-lsum"), _ROUGE),
    "semantic-similarity": "compares by words where no embedder is named",
    "answer-similarity": "compares by words where no embedder is named",
    "rbp": "counts each grade from level on as 1, where ir_measures without rel weighs by grade",
    "exact-match": "normalises texts of any language; {name}:compat=squad normalises as SQuAD does",
    "bleu": "scores answers of any language; {name}:compat=sacrebleu gives sacrebleu's numbers",
}
"""Our name -> what it does otherwise than the metric of the same name elsewhere."""
_BY_SUBTOPIC = ("alpha-ndcg", "err-ia", "st-recall")
_NEAR: Mapping[str, tuple[str, ...]] = {
    **dict.fromkeys(["numq", "numrel", "numret", "numrelret"], ()),
    **dict.fromkeys(["nrbp", "nnrbp", "ap-ia", "map-ia", "p-ia", "nerr-ia", "alpha-dcg", "α-dcg"], _BY_SUBTOPIC),
    **dict.fromkeys(["inst", "insq", "bpm", "compat"], ("rbp", "err")),
    **dict.fromkeys(["nerr8", "nerr9", "nerr10", "nerr11"], ("nerr",)),
    "sdcg": ("dcg", "ndcg"),
    "setap": ("precision", "recall"),
    "setrelp": ("r-precision",),
    "accuracy": ("precision", "mrr"),
    **dict.fromkeys(["num-q", "num-ret", "num-rel", "num-rel-ret", "num-nonrel-judged-ret"], ()),
    **dict.fromkeys(["set-map", "utility"], ("precision", "recall")),
    **dict.fromkeys(["set-relative-p", "relative-p", "rprec-mult"], ("r-precision",)),
    **dict.fromkeys(["rndcg", "ndcg-rel"], ("ndcg",)),
    **dict.fromkeys(["g", "bing"], ("f1",)),
    "11pt-avg": ("iprec", "map"),
    "gm-bpref": ("bpref", "gm-map"),
    "yaap": ("map",),
    "wip": ("wil",),
    **dict.fromkeys(["json", "is-json", "contains-json", "json-correctness", "json-validity"], ("json-match",)),
}
"""Measure of ir_measures, trec_eval, jiwer or promptfoo that is not here -> what is nearest; nothing of counts."""
_BRACKETED = lazy_pattern(r"([^\W\d]\w*)\s*\((.*)\)\s*(?:@\s*([\d.]+))?")
_PARAMETER = lazy_pattern(r"(\w+)\s*=\s*(\{.*?\}|'[^']*'|\"[^\"]*\"|[^,'\"]+?)\s*(?:,\s*|$)")
_PARAMETERS: Mapping[tuple[str, str], str] = {
    ("dcg", "log2"): "gain=linear",
    ("dcg", "exp-log2"): "gain=exp",
    ("judged_only", "True"): "unjudged=drop",
    ("judged_only", "False"): "",
}
"""Parameter of ir_measures and its value -> our option; empty where that is the default."""
_RENAMED: Mapping[str, str] = {"rel": "level", "p": "p", "alpha": "alpha", "max_rel": "max_grade"}
"""Parameter of ir_measures -> our option of the same value."""
_UNKNOWN = (
    "RG-METRIC-070 {text}: {parameter} has no counterpart here; of the parameters of ir_measures these have: {known}. "
    "With our options a metric is written as in {example}"
)
_RUBRIC = frozenset({"judged", "judged-rubric", "judged-criteria", "criteria", "g-eval", "geval"})
"""Names under which people look for the metric that takes criteria."""
_OF_CRITERIA = lazy_pattern(r"(?s)([\w-]+)\s*(?:\[(.*)\]|\((.*)\)|:(.*))")
_CRITERIA = lazy_pattern(r"(?:^|,)\s*criteria\s*=")
_IN_SINGLE = lazy_pattern(r"(?s)(?<==)\s*'([^'\"]*)'(?=\s*(?:,|$))")
_IN_A_NAME = lazy_pattern(r"(?<=[a-z])(?=[A-Z])")
"""Between the words of a name such as FactualCorrectness."""
_CUTOFF = lazy_pattern(r"(.+?)[_-](?:at[_-])?(\d+(?:\.\d+)?)")


def in_our_words(text: str) -> str | None:
    """Return the spec of a metric that is named as elsewhere; None where no such name is known.

    >>> in_our_words("ndcg_cut_10"), in_our_words("P@5"), in_our_words("P_5"), in_our_words("rougeL")
    ('ndcg@10', 'precision@5', 'precision@5', 'rouge-l')
    >>> in_our_words("context_precision"), in_our_words("iprec_at_recall_0.10"), in_our_words("wisdom")
    ('context-precision', 'iprec@0.10', None)
    >>> in_our_words("RBP(p=0.5)"), in_our_words("P(rel=2)@5"), in_our_words("nDCG(dcg='exp-log2', cutoff=10)")
    ('rbp:p=0.5', 'precision@5:level=2', 'ndcg@10:gain=exp')
    """
    head, colon, options = without_brackets(text).strip().partition(":")
    name, at, cutoff = head.partition("@")
    ours = _ours(name)
    if ours is None and not at and (numbered := _CUTOFF.fullmatch(name)):
        ours, at, cutoff = _ours(numbered[1]), "@", numbered[2]
    return None if ours is None else f"{ours}{at}{cutoff}{colon}{options}"


def without_brackets(text: str) -> str:
    """Return a metric as ir_measures writes it, or one with criteria, in our form; any other text as it is.

    Raises:
        UsageError: a parameter or the measure has no counterpart here.

    >>> (
    ...     without_brackets("nDCG(gains={0: 0, 1: 3})@20"),
    ...     without_brackets("IPrec(recall=0.1)"),
    ...     without_brackets("time (s)"),
    ... )
    ('nDCG@20:gain=0:0/1:3', 'IPrec@0.1', 'time (s)')
    """
    text = with_criteria(text)
    found = _BRACKETED.fullmatch(text.strip())
    parameters = _PARAMETER.findall(found[2]) if found else []
    if not found or _PARAMETER.sub("", found[2]).strip():
        return text
    refuse_absent(found[1])
    at, options = found[3] or "", []
    for name, value in parameters:
        plain = value.strip("'\"")
        if name in ("cutoff", "recall"):
            at = plain
        elif name == "gains" and plain.startswith("{"):
            options.append("gain=" + "/".join(pair.replace(" ", "") for pair in plain.strip("{}").split(",")))
        elif name in _RENAMED:
            options.append(f"{_RENAMED[name]}={plain}")
        elif (name, plain) in _PARAMETERS:
            options.append(_PARAMETERS[name, plain])
        else:
            known = ", ".join(dict.fromkeys(["cutoff", "recall", "gains", *_RENAMED, *(one for one, _ in _PARAMETERS)]))
            raise UsageError(_UNKNOWN, text.strip(), f"{name}={value}", known, "rbp@10:p=0.8,level=2")
    return f"{found[1]}{'@' if at else ''}{at}{':' if any(options) else ''}{','.join(filter(None, options))}"


def with_criteria(text: str) -> str:
    """Return ``judged[criteria=...]`` and its like as the spec of judged-rubric; any other text as it is.

    Criteria may have commas without quotes; single quotes around them count as double ones.

    >>> with_criteria("judged[criteria=polite, short and clear]"), with_criteria("g-eval(criteria='茶', scale=5)")
    ('judged-rubric:criteria="polite, short and clear"', 'judged-rubric:criteria=茶, scale=5')
    >>> with_criteria("judged-rubric:criteria=polite"), with_criteria("ndcg@10")
    ('judged-rubric:criteria=polite', 'ndcg@10')
    """
    found = _OF_CRITERIA.fullmatch(text.strip())
    options = next((one for one in found.groups()[1:] if one is not None), "") if found else ""
    if not found or found[1].lower().replace("_", "-") not in _RUBRIC or not _CRITERIA.search(options):
        return text
    plain = _IN_SINGLE.sub(lambda one: quoted(one[1]), options)
    return f"judged-rubric:{with_quotes(split_options(plain, text))}"


def _ours(name: str) -> str | None:
    for folded in (name.lower().replace("_", "-"), _IN_A_NAME.sub("-", name).lower()):
        ours = _SAME.get(folded, folded)
        if ("metric", ours) in HOMES:
            return ours
    return None


def refuse_absent(text: str) -> None:
    """Raise UnknownNameError where ``text`` names a measure of another library that is not here: why, and what is near.

    >>> refuse_absent("P_IA@5")
    Traceback (most recent call last):
    ragauge.errors.UnknownNameError: P_IA is not a metric here; near it: alpha-ndcg, err-ia, st-recall
    """
    name = text.partition("(")[0].partition("@")[0].strip()
    near = _NEAR.get(name.lower().replace("_", "-"))
    if near:
        listed = ", ".join(near)
        raise UnknownNameError("RG-NAME-004 {name} is not a metric here; near it: {names}", name, listed)
    if near is not None:
        raise UnknownNameError(
            "RG-NAME-005 {name} is a count, and not a metric here; results show how many samples have a score",
            name,
        )


def notes_on_names(texts: Iterable[str]) -> list[str]:
    """Return a note for each metric that was named as elsewhere: what it is here, and where the meaning differs.

    >>> notes_on_names(["ndcg_cut_10", "ndcg@10"])
    ['ndcg_cut_10 is ndcg@10 here']
    >>> notes_on_names(["faithfulness"])
    ['faithfulness asks no language model; judged-faithfulness does']
    """
    notes: list[str] = []
    for text in texts:
        ours = in_our_words(text)
        if ours is None or (ours == text and text != "faithfulness"):
            continue
        name = ours.partition("@")[0].partition(":")[0]
        template = "" if ":" in text else _MEANINGS.get(name, "")
        meaning = Message(template, name) if "{name}" in template else worded(template)
        if ours == text:
            notes.append(Message("RG-NOTE-029 {name} {meaning}", text, meaning))
        elif template:
            notes.append(Message("RG-NOTE-030 {name} is {ours} here, which {meaning}", text, ours, meaning))
        else:
            notes.append(Message("RG-NOTE-031 {name} is {ours} here", text, ours))
    return notes


def unknown_metric(where: str, text: str, there: Iterable[str]) -> UnknownNameError:
    """Return the error of a metric that is not among those ``there``; a name of elsewhere is shown with ours for it.

    >>> print(unknown_metric("of this run", "P_5", ["precision@10", "mrr"]))
    unknown metric of this run: 'P_5', here precision@5; did you mean precision@10?
    """
    ours = in_our_words(text)
    here = "" if ours in (None, text) else Message(", here {name}", ours)
    hint = did_you_mean(ours or text, there)
    return UnknownNameError("RG-NAME-003 unknown metric {where}: {text!r}{here}{hint}", worded(where), text, here, hint)
