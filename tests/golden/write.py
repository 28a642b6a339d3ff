"""Write the golden numbers and identities anew: ``python tests/golden/write.py``.

A number that changed under the same revision is refused: raise the revision of the metric or ingredient first, and say
so in the changelog. ``--unreleased`` takes it as it is, for metrics that no release had.
"""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))


def main() -> None:
    from tests.golden import test_identities
    from tests.golden.measured import FILE, differs, known, measured, written

    new, old = measured(), known() if FILE.exists() else {}
    silent = [
        f"{data}: {spec}: {old[data][spec]['value']} -> {number['value']}"
        for data, numbers in new.items()
        for spec, number in numbers.items()
        if spec in old.get(data, {})
        and old[data][spec]["revisions"] == number["revisions"]
        and differs(old[data][spec], number)
    ]
    if silent and "--unreleased" not in sys.argv:
        sys.exit("\n".join(["changed under the same revision:", *silent]))
    FILE.write_text(written(new), encoding="utf-8")
    test_identities.FILE.write_text(test_identities.identities(), encoding="utf-8")


if __name__ == "__main__":
    main()
