"""Requests that are not POST with a bearer: what writers to services need of the endpoints."""

from __future__ import annotations

import json
from dataclasses import replace

from pytest_httpserver import HTTPServer

from ragauge.endpoints.endpoint import Endpoint


def test_other_methods_and_schemes(httpserver: HTTPServer) -> None:
    basic = {"Authorization": "Basic a2V5"}
    httpserver.expect_request("/notes", method="GET", headers=basic, data=b"").respond_with_json([{"id": 1}])
    httpserver.expect_request("/notes", method="PATCH", headers=basic, json=["вместо"]).respond_with_json({"id": 1})
    with Endpoint(httpserver.url_for("/notes"), "a2V5", 20.0, 0, "writer 'x'", "Basic", "GET") as listed:
        assert json.loads(listed.post(None, 1000)) == [{"id": 1}]
        with replace(listed, method="PATCH") as changed:
            assert json.loads(changed.post(["вместо"], 1000)) == {"id": 1}
    assert [request.content_length for request, _ in httpserver.log] == [0, len(json.dumps(["вместо"]))]
