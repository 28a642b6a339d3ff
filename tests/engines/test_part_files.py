"""Files of finished parts that are damaged: the error names the file, and says how to go on."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from ragauge.engines.part_files import PartFiles
from ragauge.errors import DataError
from tests.fuzz.targets.part_files import _ABOUT, _content, _resumed, _whole


@pytest.fixture
def kept(tmp_path: Path) -> PartFiles:
    """A folder with the plan and one part of a run."""
    for place, name in enumerate(("plan.json", "part-000000.arrow")):
        (tmp_path / name).write_bytes(_content(place))
    return PartFiles(tmp_path)


def resume(kept: PartFiles) -> Any:
    _, plan, shares = _whole()
    kept.begin(_ABOUT)
    return _resumed(kept, plan, shares)


def test_a_whole_part_is_taken(kept: PartFiles) -> None:
    before = kept.folder.joinpath("part-000000.arrow").stat()
    assert resume(kept) == resume(kept)
    assert kept.folder.joinpath("part-000000.arrow").stat() == before


@pytest.mark.parametrize("place", range(0, 5000, 97))
def test_a_damaged_byte_and_a_truncated_file_are_named(kept: PartFiles, place: int) -> None:
    path = kept.folder / "part-000000.arrow"
    whole = path.read_bytes()
    place %= len(whole)
    for damaged in (whole[:place], whole[:place] + bytes([whole[place] ^ 0xFF]) + whole[place + 1 :]):
        path.write_bytes(damaged)
        with pytest.raises(DataError, match=r"part 0 in|differs"):
            resume(kept)


@pytest.mark.parametrize("sums", [-1, 10**30, 1 << 40, None, "x", {}])
def test_a_size_that_is_none_is_named(kept: PartFiles, sums: object) -> None:
    path = kept.folder / "part-000000.arrow"
    head, _, content = path.read_bytes().partition(b"\n")
    path.write_bytes(json.dumps({**json.loads(head), "sums": sums}).encode() + b"\n" + content)
    with pytest.raises(DataError, match=r"part 0 in .* is damaged.* remove part-000000\.arrow to score it again"):
        resume(kept)


@pytest.mark.parametrize("plan", ["", "[]", "{}", '{"plan":' * 2000, "\0"])
def test_a_damaged_plan_is_named(kept: PartFiles, plan: str) -> None:
    (kept.folder / "plan.json").write_text(plan, "utf-8")
    with pytest.raises(DataError, match=r"plan\.json is damaged"):
        resume(kept)
