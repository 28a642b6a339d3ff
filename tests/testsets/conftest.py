"""The server of the judges' tests, which proposes questions here."""

from __future__ import annotations

from tests.judges.conftest import listening, server

__all__ = ["listening", "server"]
