"""The server on this machine, which answers as each test says."""

from tests.embedders.conftest import other_server, server, waits

__all__ = ["other_server", "server", "waits"]
