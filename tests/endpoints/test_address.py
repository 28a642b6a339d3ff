"""Addresses as users write them: what is wrong with one, and an address to write in its place that is right."""

from __future__ import annotations

import re
import socket
import ssl

import pytest

from ragauge.endpoints.address import check_scheme, is_address, nobody_there
from ragauge.endpoints.server import is_plain_address
from ragauge.errors import UsageError


@pytest.mark.parametrize(
    "text", ["htp://localhost:1/v1", "http:/localhost:1", "http//localhost:1", "ws://h:1/chat", "HTTP://h:1/v1",
             "localhost", "localhost/v1", "127.0.0.1/v1", "localhost:11434/v1", "api.example.com/v1"]
)  # fmt: skip
def test_what_to_write_for_a_wrong_address_is_right(text: str) -> None:
    with pytest.raises(UsageError) as caught:
        check_scheme(text)
    written = re.findall(r"https?://[^\s,]+", caught.value.message)
    assert is_plain_address(written[-1]), caught.value.message
    check_scheme(written[-1])


@pytest.mark.parametrize(
    "text", ["http://h:1", "https://h", "app:answer", "src/app.py:answer", "C:/app.py:f", "chat[url=http://h,model=m]",
             "http/app.py:f", "jury[judges=a+b]", "model"]
)  # fmt: skip
def test_names_and_right_addresses_pass(text: str) -> None:
    check_scheme(text)
    assert is_address(text) == text.startswith(("http://", "https://"))


def test_errors_of_other_kinds_have_no_remedy_here() -> None:
    wrong = ssl.SSLError(1, "[SSL: WRONG_VERSION_NUMBER] wrong version number")
    wrong.reason = "WRONG_VERSION_NUMBER"
    assert "write http://h:1/v1" in str(nobody_there("https://h:1/v1", wrong))
    assert "no host h is known" in str(nobody_there("http://h/v1", socket.gaierror()))
    assert nobody_there("http://h/v1", ConnectionResetError()) is None
