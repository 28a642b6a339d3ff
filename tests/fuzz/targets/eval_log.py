"""Logs of inspect_ai: archives, damaged and whole, with samples of any form."""

from __future__ import annotations

import io
import zipfile
from random import Random

from hypothesis import strategies as st

from tests.fuzz.making import as_json, damaged
from tests.fuzz.targets._reading import read_file
from tests.fuzz.targets.exports import _OTHERS, _SAMPLE, changed


def _archive(samples: list[bytes], method: int) -> bytes:
    written = io.BytesIO()
    with zipfile.ZipFile(written, "w", method) as archive:
        archive.writestr(zipfile.ZipInfo("header.json"), b"{}")
        for place, sample in enumerate(samples):
            entry = zipfile.ZipInfo(f"samples/{place}.json")
            entry.compress_type = method
            archive.writestr(entry, sample)
    return written.getvalue()


_SAMPLES = st.builds(
    lambda others, seed: as_json(changed(_SAMPLE, others, Random(seed))),  # noqa: S311 - no secret is drawn
    _OTHERS,
    st.integers(0, 2**32),
)
_METHODS = st.sampled_from([zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
_ARCHIVES = st.builds(_archive, st.lists(_SAMPLES, max_size=2), _METHODS)
STRATEGY = st.one_of(_SAMPLES, damaged(_SAMPLES), damaged(_ARCHIVES))


def target(data: bytes) -> None:
    """Read ``data`` as a log, or as the first sample of one."""
    read_file("log.eval", data if data.startswith(b"PK") else _archive([data, b"{}"], zipfile.ZIP_STORED))
