"""The site, built once for all tests that look at it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.docs.site import build


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the site was built."""
    return build(tmp_path_factory.mktemp("site"))
