"""The models that a server of OpenAI's protocol lists, for the user who gives its address alone."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace

from ragauge.core.messages import Message
from ragauge.endpoints.endpoint import Endpoint, Refused
from ragauge.errors import UsageError

_LONGEST = 1 << 20
_MOST_SECONDS = 10.0
"""The list is short, and a server without one should not hold up the run."""
_MOST_NAMES = 8
"""Names that an error shows; hubs list hundreds."""
_EMBEDS = "embed"
"""What names and types of embedding models have in common, as in ``nomic-embed-text`` and ``embedding``."""


def only_model(
    endpoint: Endpoint,
    line: Callable[[str], str],
    say: Callable[[str], object],
    *,
    embeds: bool = False,
) -> str:
    """Return the name of the only model of a server, with a note; empty where its list cannot be had, or is empty.

    Args:
        endpoint: where requests would be sent; the list is asked for beside it, with its key and headers.
        line: makes what the user types for a model.
        say: takes the note.
        embeds: whether an embedding model is wanted: of several models, the only one of these is taken.

    Raises:
        UsageError: several models are there.
    """
    listed = _listed(endpoint)
    embedding = [name for name, says in listed.items() if _EMBEDS in says]
    names = (embedding if embeds else []) or [*listed]
    server = _base(endpoint.address)
    if len(names) > 1:
        likely = next((name for name in names if embeds or name not in embedding), names[0])
        more = ", ..." if len(names) > _MOST_NAMES else ""
        template = "RG-NET-013 {address} has {n} models: {names}; name one of them: {line}"
        shown = ", ".join(map(endpoint.shown, names[:_MOST_NAMES])) + more
        raise UsageError(template, server, len(names), shown, endpoint.shown(line(likely)))
    for name in names:
        template = "RG-NET-014 no model is named; {address} has {model}, which is taken"
        say(Message(template, server, endpoint.shown(name)))
    return names[0] if names else ""


def _base(address: str) -> str:
    path = next((one for one in ("/chat/completions", "/embeddings") if address.endswith(one)), "")
    return address.removesuffix(path).rstrip("/")


def _listed(endpoint: Endpoint) -> dict[str, str]:
    """Return the names of the models, each with what its entry says of its kind, in small letters."""
    timeout = min(endpoint.timeout, _MOST_SECONDS)
    place = replace(endpoint, address=f"{_base(endpoint.address)}/models", method="GET", retries=0, timeout=timeout)
    with suppress(Refused, UsageError, ValueError, LookupError, TypeError, AttributeError, RecursionError), place:
        entries = json.loads(place.post(None, _LONGEST))["data"]
        return {
            str(one["id"]): " ".join(str(one.get(key, "")) for key in ("id", "type", "task")).lower() for one in entries
        }
    return {}
