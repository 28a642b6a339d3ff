"""Whether scores that a run kept are those of a metric, and the signature of kept and new scores together."""

from __future__ import annotations

from ragauge.core.lazy import lazy_pattern
from ragauge.core.protocol import Metric, Signature, signature_of
from ragauge.results.result import Result

_FORMS = ("auto", "json_schema", "json_object", "parsed")
"""How the form of a judge's replies is held, the weakest last; auto: it was not asked."""
_FORM = lazy_pattern(r"(?<=[\[,])output=(\w+)")
_REFUSED = lazy_pattern(r"(?<=[\[,])refused=([^,\]]*)")
_OF_SERVER = lazy_pattern(r"(?<=[\[,])(?:output|refused)=[^,\]]*,?")
"""Parts of a judge's signature that its server decides while it is asked."""


def has_scores_of(run: Result, name: str, metric: Metric) -> bool:
    """Return whether the scores of a run under ``name`` are those of ``metric``: of its options and its revision.

    The version of ragauge may be another, and so may be how the server of a judge held the form of its replies.
    """
    kept, now = _parted(run[name].signature)[0], _parted(str(signature_of(metric)))[0]
    if hasattr(metric, "judge"):
        kept, now = _OF_SERVER.sub("", kept), _OF_SERVER.sub("", now)
    return kept == now and str(run.metrics[name]) == str(metric)


def joined_signature(kept: str, new: str) -> str:
    """Return the signature of scores of which some were kept: the weaker identity of a judge, and the newer versions.

    >>> held = "judged-rubric|judge=chat[model=m,output={}]|revision=1|ragauge={} #{}"
    >>> joined_signature(held.format("parsed", "1.0", "0"), held.format("json_schema", "1.1", "1")).rpartition(" ")[0]
    'judged-rubric|judge=chat[model=m,output=parsed]|revision=1|ragauge=1.1'
    """
    (before, _), (now, versions) = _parted(kept), _parted(new)
    return str(Signature(max(now, before, key=_weakness), versions))


def _parted(signature: str) -> tuple[str, str]:
    """Return the identity and the versions of a signature."""
    identity, _, versions = signature.rpartition("|ragauge=")
    return identity, f"ragauge={versions.partition(' #')[0]}"


def _weakness(identity: str) -> tuple[list[int], list[int]]:
    forms = [_FORMS.index(form) if form in _FORMS else 0 for form in _FORM.findall(identity)]
    return forms, list(map(len, _REFUSED.findall(identity)))
