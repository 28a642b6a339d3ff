"""The judge at an address: its protocol by the end of the address, and its options."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping

from ragauge.core.lazy import lazy_pattern
from ragauge.core.spec import quoted

_ADDRESS = lazy_pattern(r"(https?://.*?)(?:\[([a-z_]+=.*)\])?", re.DOTALL)
_AZURE = lazy_pattern(r"([^?]*)\?api-version=([\w.-]+)", re.ASCII)
_MODEL = "RAGAUGE_JUDGE_MODEL"


def judge_at(text: str, options: Mapping[str, object]) -> str | None:
    """Return the spec of the judge at an address; None where no model is named.

    Args:
        text: the address, and options in brackets where there are some.
        options: further ones. A model that is named nowhere is that of ``RAGAUGE_JUDGE_MODEL``.

    >>> judge_at("http://localhost:11434/v1", {"model": "qwen3"})
    'chat[url=http://localhost:11434/v1,model=qwen3]'
    >>> judge_at("http://localhost:11434/api/chat[model=qwen3]", {"timeout": 30})
    'chat[url=http://localhost:11434/api/chat,model=qwen3,timeout=30]'
    >>> judge_at("http://localhost:11434/v1/systemone", {"model": "nimble"})
    'decisions[url=http://localhost:11434/v1/systemone,model=nimble]'
    """
    match = _ADDRESS.fullmatch(text)
    address, written = (match[1], match[2]) if match else (text, None)
    named = os.environ.get(_MODEL, "").strip()
    own = dict(options)
    protocol = own.pop("protocol", None) or ""
    if named and "model" not in own and not re.search(r"(^|,)model=", written or ""):
        own["model"] = named
    # Other parameters may be secrets: they stay in the address, which is refused and shown masked.
    azure = _AZURE.fullmatch(address)
    address = azure[1] if azure else address
    own |= {"api_version": azure[2]} if azure else {}
    parts = [*([written] if written else []), *(f"{name}={quoted(str(value))}" for name, value in own.items())]
    if not any(part.startswith("model=") or ",model=" in part for part in parts):
        return None
    path = address.rstrip("/")
    kind = "decisions" if not protocol and path.endswith(("/decisions", "/systemone")) else protocol or "chat"
    if protocol in ("decisions", "systemone"):
        # Where the address itself says which, it does not have to be said again.
        parts += [] if path.endswith(f"/{protocol}") else [f"protocol={protocol}"]
        kind = "decisions"
    return f"{kind}[{','.join([f'url={quoted(address)}', *parts])}]"
