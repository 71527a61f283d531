"""Findings as SARIF, which other tools show beside the lines of a file."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from lint_corpus import BAD, FOLDER
from sarif_check import check_sarif

from app.cli.lint_formats import as_sarif
from app.cli.main import main
from app.linting.files import lint_file


@pytest.fixture(autouse=True, scope="module")
def own_settings(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """No user's own guidelines count here."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TUNNELMARK_HOME", str(tmp_path_factory.mktemp("home")))
        yield


def run(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    status = main(["lint", *words])
    out, err = capsys.readouterr()
    return status, out, err


def test_sarif(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    missing = tmp_path / "not there.conf"
    status, out, _ = run(capsys, "--format", "sarif", str(missing), *(str(FOLDER / name) for name in BAD))
    assert status == 2
    log = json.loads(out)
    check_sarif(log)
    assert log["runs"][0]["invocations"][0]["executionSuccessful"] is False
    assert len(log["runs"][0]["results"]) > 80
    assert "canary" not in out.lower()


def test_sarif_of_nothing_is_sarif() -> None:
    check_sarif(as_sarif((), "1.0"))


def test_sarif_names_a_file_once(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    bad, missing = str(FOLDER / BAD[0]), str(tmp_path / "nothing")
    log = json.loads(run(capsys, "--format", "sarif", bad, bad, missing, missing)[1])
    check_sarif(log)
    assert [one["location"]["uri"] for one in log["runs"][0]["artifacts"]] == [
        Path(bad).as_uri(),
        Path(missing).as_uri(),
    ]


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("/etc/openvpn/a b#1.conf", "file:///etc/openvpn/a%20b%231.conf"),
        ("conf/ü.ovpn", "conf/%C3%BC.ovpn"),
        ("a:b?.conf", "a%3Ab%3F.conf"),
        ("gateway-a:/etc/tinc/tinc.conf", "gateway-a%3A/etc/tinc/tinc.conf"),
        ("[fe80::1]:2222:/etc/x", "%5Bfe80%3A%3A1%5D%3A2222%3A/etc/x"),
        (os.fsdecode(b"not-utf-8-\xff.conf"), "not-utf-8-%FF.conf"),
    ],
)
def test_sarif_says_where_a_file_lies(path: str, expected: str) -> None:
    file = replace(lint_file(FOLDER / BAD[0]), path=path)
    log: dict[str, Any] = as_sarif((file,), "1.0")
    check_sarif(log)
    assert log["runs"][0]["artifacts"] == [{"location": {"uri": expected}}]
