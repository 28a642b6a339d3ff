"""What was computed, in words that let somebody else compute it again."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from hashlib import sha256

from ragauge._version import __version__
from ragauge.options import option_texts
from ragauge.protocol import Metric


@dataclass(frozen=True)
class Signature:
    """The identity of a number, and the versions that computed it.

    Two numbers may be compared when their identities are equal; other versions are worth a note only, since a metric
    or ingredient raises its revision when its numbers change.
    """

    identity: str
    """Name, every option, and the revision: ``ndcg|gain=linear|...|revision=1``."""
    versions: str

    @property
    def short(self) -> str:
        """Eight hexadecimal digits of the identity's SHA-256."""
        return sha256(self.identity.encode()).hexdigest()[:8]

    def __str__(self) -> str:
        return f"{self.identity}|{self.versions} #{self.short}"


def signature_of(metric: Metric) -> Signature:
    """Return the signature of ``metric``: its own ``identity`` if it has one, and ``versions`` of what it uses."""
    own = "".join(f"|{library}={version}" for library, version in getattr(metric, "versions", {}).items())
    versions = f"ragauge={__version__}|unicode={unicodedata.unidata_version}{own}"
    if hasattr(metric, "identity"):
        return Signature(metric.identity, versions)
    options = option_texts(metric, all_of_them=True)
    parts = [
        name_of(metric),
        *(f"{key}={text}" for key, text in options.items()),
        f"revision={metric.revision}",
    ]
    return Signature("|".join(parts), versions)


def name_of(metric: Metric) -> str:
    """Return the name of ``metric`` without ``@`` and options."""
    return str(metric).partition(":")[0].partition("@")[0]
