"""Checks a log of findings against what SARIF 2.1.0 asks of it."""

from __future__ import annotations

import re
from typing import Any
from urllib.parse import urlsplit

LEVELS = {"none", "note", "warning", "error"}


SARIF = {
    "log": ("version runs", "$schema"),
    "run": ("tool", "artifacts results invocations columnKind"),
    "tool": ("driver", ""),
    "driver": ("name", "version rules"),
    "rule": ("id", "shortDescription help defaultConfiguration"),
    "configuration": ("", "level"),
    "artifact": ("", "location"),
    "place": ("", "uri"),
    "result": ("message", "ruleId ruleIndex level locations properties"),
    "location": ("", "physicalLocation"),
    "physical": ("", "artifactLocation region"),
    "region": ("", "startLine"),
    "message": ("text", ""),
    "invocation": ("executionSuccessful", "toolExecutionNotifications"),
    "notification": ("message", "level"),
}


def fields(kind: str, value: dict[str, Any]) -> dict[str, Any]:
    """Return an object whose names are right."""
    needed, known = (set(words.split()) for words in SARIF[kind])
    assert needed <= set(value) <= needed | known, kind
    return value


def text(message: dict[str, Any]) -> str:
    """Return what a message says."""
    words = fields("message", message)["text"]
    assert words
    return str(words)


def uri(location: dict[str, Any]) -> str:
    """Return where something lies: an absolute URI, or a reference that can be put after one."""
    reference = str(fields("place", location)["uri"])
    parts = urlsplit(reference)
    assert re.fullmatch(r"(?:[A-Za-z0-9._~/-]|%[0-9A-F]{2})+", parts.path), reference
    assert parts.scheme == "file" if parts.path.startswith("/") else reference == parts.path, reference
    return reference


def check_sarif(log: dict[str, Any]) -> None:
    """Assert what SARIF 2.1.0 and its schema require of what we write."""
    assert fields("log", log)["version"] == "2.1.0"
    assert log["$schema"].endswith("sarif-schema-2.1.0.json")
    (one,) = log["runs"]
    driver = fields("driver", fields("tool", fields("run", one)["tool"])["driver"])
    assert driver["name"]
    ids = [fields("rule", rule)["id"] for rule in driver["rules"]]
    assert len(ids) == len(set(ids))
    for rule in driver["rules"]:
        assert text(rule["shortDescription"])
        assert text(rule["help"])
        assert fields("configuration", rule["defaultConfiguration"])["level"] in LEVELS
    places = [uri(fields("artifact", artifact)["location"]) for artifact in one["artifacts"]]
    assert len(places) == len(set(places)), "items must be unique, section 3.14.15"
    assert one["columnKind"] == "unicodeCodePoints"
    for result in one["results"]:
        assert ids[fields("result", result)["ruleIndex"]] == result["ruleId"]
        assert result["level"] in LEVELS
        assert text(result["message"])
        for location in result["locations"]:
            place = fields("physical", fields("location", location)["physicalLocation"])
            assert uri(place["artifactLocation"]) in places
            assert fields("region", place.get("region", {"startLine": 1}))["startLine"] >= 1
    for invocation in one["invocations"]:
        assert type(fields("invocation", invocation)["executionSuccessful"]) is bool
        for note in invocation["toolExecutionNotifications"]:
            assert text(fields("notification", note)["message"])
