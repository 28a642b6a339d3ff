"""``python -m docs.generator``: write every generated page of ``docs/``; with ``--check``, only name those to write.

``--copy SITE`` adds to a site that was built what its pages lead to: themselves as Markdown, a report, an archive.
"""

from __future__ import annotations

import sys
from pathlib import Path

from docs.generator.site import complete
from docs.generator.writing import changelog, generated, stale, write
from ragauge.errors import RagaugeError

check, copies = sys.argv[1:] == ["--check"], sys.argv[1:2] == ["--copy"]
try:
    pages = (
        complete(Path(sys.argv[2]))
        if copies
        else stale(generated())
        if check
        else write({**generated(), **changelog()})
    )
    for page in pages:
        sys.stdout.write(f"docs/{page}\n" if check else f"{'copied' if copies else 'wrote'} docs/{page}\n")
except RagaugeError as error:
    sys.exit(str(error))
