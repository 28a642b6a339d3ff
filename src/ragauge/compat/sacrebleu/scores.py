"""What sacrebleu's calls return: scores of 0 to 100 with their parts, and signatures."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

from ragauge._version import __version__


class SacrebleuScore:
    """A score of 0 to 100 and the name of its metric.

    >>> print(SacrebleuScore("chrF2", 12.3456))
    chrF2 = 12.35
    """

    _verbose = ""

    def __init__(self, name: str, score: float) -> None:
        self.name = name
        self.score = score

    def format(self, width: int = 2, score_only: bool = False, signature: str = "", is_json: bool = False) -> str:
        """Return the score as text: with its name and parts, alone, or as JSON.

        Args:
            width: digits after the point.
            score_only: leave out the name; without effect on JSON.
            signature: shown behind the name.
            is_json: return a JSON object.
        """
        rounded = f"{self.score:.{width}f}"
        if is_json:
            fields = {"name": self.name, "score": float(rounded), "signature": signature}
            fields |= {"verbose_score": self._verbose} if self._verbose else {}
            pairs = [pair.partition(":") for pair in signature.split("|") if pair]
            return json.dumps({**fields, **{key: value for key, _, value in pairs}}, indent=1, ensure_ascii=False)
        if score_only:
            return rounded
        name = f"{self.name}|{signature}" if signature else self.name
        return f"{name} = {rounded} {self._verbose}".rstrip()

    def __repr__(self) -> str:
        return self.format()


class BLEUScore(SacrebleuScore):
    """BLEU, 0 to 100, and the counts behind it.

    Args:
        score: BLEU.
        counts: n-grams of each order that a reference has, clipped.
        totals: n-grams of each order.
        precisions: smoothed precisions, 0 to 100.
        bp: the brevity penalty, 0 to 1.
        sys_len: tokens of the answers.
        ref_len: tokens of the references that are closest in length.

    >>> print(BLEUScore(50.0, [2, 1], [2, 2], [100.0, 50.0], 1.0, 2, 2))
    BLEU = 50.00 100.0/50.0 (BP = 1.000 ratio = 1.000 hyp_len = 2 ref_len = 2)
    """

    def __init__(
        self,
        score: float,
        counts: Sequence[float],
        totals: Sequence[float],
        precisions: Sequence[float],
        bp: float,
        sys_len: int,
        ref_len: int,
    ) -> None:
        super().__init__("BLEU", score)
        self.counts, self.totals, self.precisions = list(counts), list(totals), list(precisions)
        self.bp, self.sys_len, self.ref_len = bp, sys_len, ref_len

    @property
    def prec_str(self) -> str:
        """The precisions with one digit."""
        return "/".join([f"{precision:.1f}" for precision in self.precisions])

    @property
    def ratio(self) -> float:
        """The length of the answers by that of the references; 0 where these are empty."""
        return self.sys_len / self.ref_len if self.ref_len else 0.0

    @property
    def _verbose(self) -> str:  # type: ignore[override]
        lengths = f"ratio = {self.ratio:.3f} hyp_len = {self.sys_len:d} ref_len = {self.ref_len:d}"
        return f"{self.prec_str} (BP = {self.bp:.3f} {lengths})"


class CHRFScore(SacrebleuScore):
    """ChrF or chrF++, 0 to 100.

    >>> CHRFScore(40.0, char_order=6, word_order=2, beta=2).name
    'chrF2++'
    """

    def __init__(self, score: float, char_order: int, word_order: int, beta: int) -> None:
        super().__init__(f"chrF{beta}{'+' * word_order}", score)
        self.char_order, self.word_order, self.beta = char_order, word_order, beta


class SacrebleuSignature:
    """How a score was computed, in the form of sacrebleu; ``version`` is that of ragauge.

    >>> print(SacrebleuSignature({"nrefs": 1, "case": "mixed"}).format().partition("|version")[0])
    nrefs:1|case:mixed
    """

    _SHORT: Mapping[str, str] = {
        "nrefs": "#", "case": "c", "eff": "e", "tok": "tok", "smooth": "s", "nc": "nc", "nw": "nw", "space": "s",
        "version": "v",
    }  # fmt: skip

    def __init__(self, info: Mapping[str, object]) -> None:
        self.info = {**info, "version": f"ragauge-{__version__}"}

    def format(self, short: bool = False) -> str:
        """Return ``name:value`` of all options, joined by ``|``."""
        return "|".join([f"{self._SHORT[name] if short else name}:{value}" for name, value in self.info.items()])

    def __str__(self) -> str:
        return self.format()

    __repr__ = __str__
