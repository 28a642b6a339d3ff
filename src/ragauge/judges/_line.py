"""What the threads that use one judge share: its connections, its rate, and what is known of its server."""

from __future__ import annotations

from collections.abc import Callable
from threading import Lock

from ragauge.endpoints.endpoint import Endpoint
from ragauge.judges._dialect import Negotiation
from ragauge.judges._limits import Rate


class Line:
    """The line to one server.

    Connections stay open as long as a call of `begin` has had no call of `end`; several threads may be between the two.

    Args:
        connect: returns the endpoint, with the API key as it is now.
        negotiation: the dialect of the server.
        rate: limits on requests and tokens a minute.
    """

    def __init__(self, connect: Callable[[], Endpoint], negotiation: Negotiation, rate: Rate) -> None:
        self.negotiation, self.rate = negotiation, rate
        self._connect = connect
        self._endpoint: Endpoint | None = None
        self._users = 0
        self._lock = Lock()

    @property
    def endpoint(self) -> Endpoint:
        """The endpoint, made where there is none."""
        with self._lock:
            if self._endpoint is None:
                self._endpoint = self._connect()
            return self._endpoint

    def begin(self) -> None:
        """Take note of one more user; UsageError where there is no API key."""
        _ = self.endpoint
        with self._lock:
            self._users += 1

    def end(self) -> None:
        """Take note that a user has finished; the last one closes the connections. Without a `begin`, do nothing."""
        with self._lock:
            self._users = max(self._users - 1, 0)
            if self._users or self._endpoint is None:
                return
            # A later call may have another key.
            closed, self._endpoint = self._endpoint, None
        closed.close()
