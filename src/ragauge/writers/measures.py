"""A run's scores as named numbers and words, for targets that keep a flat table of them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from hashlib import sha256
from typing import Any

from ragauge._version import __version__
from ragauge.core.lazy import lazy_pattern
from ragauge.results.result import Result
from ragauge.results.score import Score
from ragauge.writers.writer import FinishedRun, encodable

# Word of an escape -> the character that it stands for; any other character is written by its number, as _x2f_.
_WORDS = {"at": "@", "eq": "=", "comma": ","}
_SIGNS = {sign: word for word, sign in _WORDS.items()}
_ESCAPE = lazy_pattern(rf"_(?:({'|'.join(_WORDS)})|x([0-9a-f]+))_")
# Letters, digits and "_" of all scripts, and what MLflow takes beside them; without "/", at which it makes folders.
_ILLEGAL = lazy_pattern(r"[^\w.\- :]")
_LONGEST = 200
"""Characters of a name that are kept; MLflow takes 250 with the word behind it."""


def legal_name(name: str) -> str:
    """Return ``name`` with letters, digits, ``_``, ``.``, ``-``, ``:`` and spaces alone; `original_name` undoes it.

    ``@`` becomes ``_at_``, ``=`` ``_eq_``, ``,`` ``_comma_``, any other character ``_xHEX_``, its number in Unicode. A
    ``_`` that would begin such an escape is written ``_x5f_``. A name of more than 200 characters is cut, and ends in a
    hash: that alone cannot be undone.

    >>> legal_name("ndcg@10:gain=exp"), legal_name("指标/一"), legal_name("a_at_b")
    ('ndcg_at_10:gain_eq_exp', '指标_x2f_一', 'a_x5f_at_b')
    """
    # A dot in front could make a name that means a folder.
    illegal = {place for place, char in enumerate(name) if _ILLEGAL.match(char) or (char == "." and place == 0)}
    written = "".join(
        _escaped(char) if place in illegal or (char == "_" and _begins_escape(name, place, illegal)) else char
        for place, char in enumerate(name)
    )
    if len(written) <= _LONGEST:
        return written
    return f"{written[: _LONGEST - 17]}_{sha256(name.encode('utf-8', 'surrogatepass')).hexdigest()[:16]}"


def original_name(name: str) -> str:
    """Return the name of which `legal_name` made ``name``.

    >>> original_name("ndcg_at_10:gain_eq_exp"), original_name("a_x5f_at_b")
    ('ndcg@10:gain=exp', 'a_at_b')
    """
    return _ESCAPE.sub(lambda escape: _WORDS[escape[1]] if escape[1] else chr(int(escape[2], 16)), name)


def _begins_escape(name: str, place: int, illegal: set[int]) -> bool:
    """Return whether what follows the ``_`` at ``place`` would make an escape of it."""
    word = re.compile(rf"(?:{'|'.join(_WORDS)}|x[0-9a-f]+)").match(name, place + 1)
    # After the word comes "_" itself, or a character whose escape begins with it.
    return word is not None and word.end() < len(name) and (name[word.end()] == "_" or word.end() in illegal)


def _escaped(char: str) -> str:
    return f"_{_SIGNS.get(char) or f'x{ord(char):x}'}_"


_NUMBERS = ("low", "high", "coverage", "scored", "total", "undefined", "missing", "failed")


def measures(result: Result, separator: str) -> dict[str, float]:
    """Return each mean by its name, and by ``name + separator + word`` all that it takes to trust it.

    The words are ``low`` and ``high`` (the interval), ``coverage`` (scored / total, 0 to 1), the counts ``scored``,
    ``total``, ``undefined``, ``missing``, ``failed`` and, where it is not 0, ``undefined_scored``; for all samples also
    ``bound_low`` and ``bound_high`` (the means if all failed samples had scored the worst, or the best), each part of
    the score and each count of its notes. A number that is not known is left out: a metric without a scored sample has
    no mean, and its counts say so.

    >>> import ragauge
    >>> rows = [{"answer": "林婉", "references": ["林婉"]}, {"answer": "茶", "references": ["林婉"]}]
    >>> numbers = measures(ragauge.evaluate(rows, "exact-match"), ".")
    >>> numbers["exact-match"], numbers["exact-match.coverage"], numbers["exact-match.failed"]
    (0.5, 1.0, 0)
    """
    numbers: dict[str, float] = {}
    for score in result.score_table().to_pylist():
        group = "" if score["by"] is None else f" by {score['by']}={score['group']}"
        for word, number in score_numbers(score).items():
            numbers.setdefault(f"{score['metric']}{group}{word and separator}{word}", number)
    return numbers


def score_numbers(score: Mapping[str, Any]) -> dict[str, float]:
    """Return the known numbers of a row of `Result.score_table`, each by its word; that of the mean is empty."""
    numbers = [("", score["value"]), *((name, score[name]) for name in _NUMBERS)]
    numbers.append(("undefined_scored", score["undefined_scored"] or None))
    # There may be many groups, so they get no more than this.
    if score["by"] is None:
        numbers += [(name, score[name]) for name in ("bound_low", "bound_high")]
        numbers += [*score["parts"], *score["noted"]]
    known: dict[str, float] = {}
    for word, number in numbers:
        if number is not None:
            known.setdefault(word, number)
    return known


def descriptions(result: Result) -> dict[str, Mapping[str, Any]]:
    """Return of each metric what is no number: direction, stage, average, signature and, if any, notes.

    >>> import ragauge
    >>> described = descriptions(ragauge.evaluate([{"answer": "a", "references": ["a"]}], "exact-match"))
    >>> described["exact-match"]["direction"]
    'higher'
    """
    return {score.metric: _described(score) for score in result.table if score.group is None}


def _described(score: Score) -> dict[str, Any]:
    words = {name: getattr(score, name) for name in ("direction", "stage", "average", "signature")}
    notes = ", ".join(filter(None, (score.compared_by, *score.notes)))
    return {**words, **({"notes": notes} if notes else {})}


def known_of(run: FinishedRun) -> dict[str, Any]:
    """Return what is known of a run beside its scores: versions, data, tag, commit, and whether it passed its gate."""
    known = {name: run.manifest[name] for name in ("created", "tag", "commit") if name in run.manifest}
    gate = {} if run.gate is None else {"gate": "passed" if run.gate.passed else "failed"}
    options = {name: run.result.options[name] for name in ("level", "interval")}
    data = {"data": encodable(run.result.data.source), "samples": run.result.samples}
    return {"version": __version__, **known, **gate, **options, **data}


def config_of(run: FinishedRun) -> dict[str, Any]:
    """Return what is known of a run and of each metric, for the config of an experiment tracker."""
    metrics = {name: dict(words) for name, words in descriptions(run.result).items()}
    return {"ragauge": {**known_of(run), "metrics": metrics}}
