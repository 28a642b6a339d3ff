"""What several answers to each question say: whether some or all of them pass, and where scores vary."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ragauge.core.ragged import FloatArray, IntArray
from ragauge.core.statistics import ratio


def any_of(passed: IntArray, answers: IntArray, k: int) -> FloatArray:
    """Return the chance that one or more of ``k`` answers drawn from those to a question pass, pass@k: (u,).

    ``passed``, ``answers`` (u,): of each question, how many passed and how many there are. NaN where there are fewer
    than ``k``. The mean over questions is an unbiased estimate.

    Source: Chen et al. 2021, "Evaluating large language models trained on code".

    >>> any_of(np.array([1, 4, 0]), np.array([4, 4, 1]), 2)
    array([0.5, 1. , nan])
    """
    return 1.0 - all_of(answers - passed, answers, k)


def all_of(passed: IntArray, answers: IntArray, k: int) -> FloatArray:
    """Return the chance that all of ``k`` answers drawn from those to a question pass, pass^k: (u,).

    Shapes and NaN as in `any_of`.

    Source: Yao, Shinn, Razavi and Narasimhan 2024, "tau-bench".

    >>> all_of(np.array([1, 4, 3]), np.array([4, 4, 4]), 2)
    array([0. , 1. , 0.5])
    """
    drawn = np.arange(k)
    left, there = np.maximum(passed[:, None] - drawn, 0), answers[:, None] - drawn
    return np.where(answers >= k, np.prod(left / np.maximum(there, 1), axis=1), np.nan)


def flips(passed: IntArray, answers: IntArray) -> FloatArray:
    """Return the chance that of two answers to a question one passes and one does not: (u,); NaN for one answer.

    >>> flips(np.array([1, 4, 1]), np.array([4, 4, 1]))
    array([0.5, 0. , nan])
    """
    return ratio(2.0 * passed * (answers - passed), np.asarray(answers * (answers - 1.0)))


class Variances(NamedTuple):
    """The variance of questions' true means, and that of the answers to one question; NaN where it is not known."""

    between: float
    within: float

    def error(self, questions: float, answers: float) -> float:
        """Return the standard error of the mean of so many ``questions`` with so many ``answers`` each."""
        return float(np.sqrt((self.between + self.within / answers) / questions))


def variances(scores: FloatArray, question: IntArray) -> Variances:
    """Return the variances between and within questions, by the analysis of variance of one random effect.

    Shapes: ``scores`` (n,); ``question`` (n,), counted from 0. An estimate below 0 is 0.

    Source: Searle, Casella and McCulloch 1992, "Variance components", 3.6.

    >>> variances(np.array([0.0, 0.5, 0.5, 1.0]), np.array([0, 0, 1, 1]))
    Variances(between=0.0625, within=0.125)
    """
    sizes = np.bincount(question)
    questions, answers = len(sizes), len(scores)
    if questions < 2 or answers == questions:
        return Variances(np.nan, np.nan)
    means = np.bincount(question, scores) / sizes
    within = float(((scores - means[question]) ** 2).sum()) / (answers - questions)
    among = float((sizes * (means - scores.mean()) ** 2).sum()) / (questions - 1)
    share = (answers - float((sizes**2).sum()) / answers) / (questions - 1)
    return Variances(max((among - within) / share, 0.0), within)
