"""Names that a page registers are forgotten after it, as those of a file of tests."""

from __future__ import annotations

from tests.conftest import no_names_of_another_file

__all__ = ["no_names_of_another_file"]
