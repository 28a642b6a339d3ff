"""Servers of a page: each is started where it stands, at a port that is free, and ended after the page."""

from __future__ import annotations

import os
import re
import socket
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from time import monotonic, sleep

_PATIENCE = 120
"""Seconds that a server may take to start on a busy machine."""


class Ports:
    """The ports that a page names, and the free ones in their place, so that pages can be run side by side."""

    def __init__(self) -> None:
        self._free: dict[str, str] = {}

    def free_port(self, port: str) -> int:
        """Return the port in place of ``port``: one of four digits, so that lines are as long as on the page."""
        first = 4000 + os.getpid() * 37 % 5000
        for free in range(first, 10_000):
            if str(free) not in self._free.values() and not _answers(free):
                self._free[port] = str(free)
                return free
        message = f"no port from {first} on is free"
        raise AssertionError(message)

    def in_command(self, command: str) -> str:
        """Return a command with the free ports."""
        for port, free in self._free.items():
            command = re.sub(rf"(?<=[: ]){port}\b", free, command)
        return command

    def as_on_the_page(self, output: str) -> str:
        """Return what was printed with the ports of the page."""
        for port, free in self._free.items():
            output = re.sub(rf"(?<=:){free}\b", port, output)
        return output


@contextmanager
def serving(command: str, port: int, folder: Path, environment: Mapping[str, str]) -> Iterator[None]:
    """Start a server in ``folder``, wait until it listens at ``port``, and end it afterwards."""
    log = folder / f"server-{port}.log"
    with log.open("wb") as printed:
        server = subprocess.Popen(
            ["/bin/bash", "-c", f"exec {command}"],
            cwd=folder, env={**os.environ, **environment}, stdout=printed, stderr=subprocess.STDOUT,
        )  # fmt: skip
    try:
        until = monotonic() + _PATIENCE
        while not _answers(port):
            assert server.poll() is None, f"{command}\n{log.read_text(encoding='utf-8')}"
            assert monotonic() < until, f"{command}: does not listen at {port}"
            sleep(0.05)
        yield
    finally:
        server.terminate()
        server.wait(_PATIENCE)


def _answers(port: int) -> bool:
    with suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=5):
        return True
    return False
