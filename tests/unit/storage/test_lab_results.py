"""Results of studies with a run of their own: read as earlier versions stored them, and stored in the same form."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from fake_studies import own_lab_result

from app.domain.application_study import ApplicationResult
from app.domain.errors import InvalidFile
from app.domain.hub_study import HubBound, HubCell, HubKind, HubResult
from app.domain.node_study import NodeResult
from app.domain.transfers import TransferCell
from app.domain.workloads import WorkloadResult
from app.storage.lab_results import ApplicationResults, HubResults, LabResults, NodeResults
from app.storage.messages import STUDY_FORMAT
from app.storage.study_files import write_study
from support.message_checks import has_message

CELL = TransferCell("geo", "cubic-hystart", "wireguard", "none")
HUB_CELL = HubCell(HubKind.FLOOD, "wireguard", "WireGuard")
KEYS: dict[type[LabResults], Any] = {ApplicationResults: CELL, HubResults: HUB_CELL, NodeResults: ("macsec-l2tp", 1)}

# As the first versions wrote them, before `afresh`.
EARLIER: dict[type[LabResults], tuple[dict[str, Any], LabResults]] = {
    ApplicationResults: (
        {
            "study": "satcom-applications",
            "pair": "lab:x",
            "part": "quick",
            "version": "0.1",
            "results": [
                {
                    "cell": {
                        "condition": "geo",
                        "congestion": "cubic-hystart",
                        "solution": "wireguard",
                        "proxy": "none",
                    },
                    "workloads": [{"workload": "web-page", "figures": {"page": 4.5}}],
                    "proxy_congestion": "",
                    "own_load_cores": 0.1,
                    "message": "",
                }
            ],
            "format": 1,
        },
        ApplicationResults(
            *("satcom-applications", "lab:x", "quick", "0.1"),
            (ApplicationResult(CELL, (WorkloadResult("web-page", {"page": 4.5}),), own_load_cores=0.1),),
        ),
    ),
    HubResults: (
        {
            "study": "iiot-hub",
            "pair": "lab:x",
            "part": "all",
            "version": "0.1",
            "results": [
                {
                    "cell": {"kind": "flood", "solution": "wireguard", "title": "WireGuard"},
                    "clients": 8,
                    "suite": "chacha20-poly1305",
                    "value": 31.5,
                    "bound": "clients",
                    "windows": [],
                    "window": None,
                    "cpu": [],
                    "message": "",
                }
            ],
            "format": 1,
        },
        HubResults(
            *("iiot-hub", "lab:x", "all", "0.1"),
            (HubResult(HUB_CELL, 8, "chacha20-poly1305", 31.5, HubBound.CLIENTS),),
        ),
    ),
    NodeResults: (
        {
            "study": "industrial-2019-extended",
            "pair": "lab:x",
            "part": "quick",
            "version": "0.1",
            "results": [
                {
                    "setting": "macsec-l2tp",
                    "round": 2,
                    "latency_ms": 0.5,
                    "mbit_s": {"a_to_b": 90.0, "b_to_a": 80.0},
                    "message": "",
                }
            ],
            "format": 1,
        },
        NodeResults(
            *("industrial-2019-extended", "lab:x", "quick", "0.1"),
            (NodeResult("macsec-l2tp", 2, 0.5, mbit_s={"a_to_b": 90.0, "b_to_a": 80.0}),),
        ),
    ),
}
EVERY_KIND = pytest.mark.parametrize("kind", EARLIER, ids=lambda one: one.__name__)


@EVERY_KIND
def test_what_earlier_versions_stored_is_read(kind: type[LabResults], tmp_path: Path) -> None:
    stored, expected = EARLIER[kind]
    (tmp_path / "x.json").write_text(json.dumps(stored), encoding="utf-8")
    found = kind.read(tmp_path / "x.json")
    assert found == expected
    assert type(found) is kind
    assert found.afresh == ()


@EVERY_KIND
def test_results_are_stored_with_the_same_fields_in_the_same_order(kind: type[LabResults], tmp_path: Path) -> None:
    key = KEYS[kind]
    kept: Any = kind("study", "lab:x", "quick", "1", (own_lab_result(key),), afresh=(key,))
    write_study(tmp_path / "x.json", kept)
    stored = json.loads((tmp_path / "x.json").read_text(encoding="utf-8"))
    assert list(stored) == ["study", "pair", "part", "version", "results", "format", "afresh", "nodes", "machines"]
    assert kind.read(tmp_path / "x.json") == kept
    assert kept.key_of(kept.results[0]) == key
    assert kept.done() == frozenset(), "it is to be measured again"
    assert kept.with_result(own_lab_result(key)).done() == {key}


@EVERY_KIND
def test_a_file_of_a_later_format_is_refused_and_none_is_none(kind: type[LabResults], tmp_path: Path) -> None:
    stored, _ = EARLIER[kind]
    (tmp_path / "x.json").write_text(json.dumps({**stored, "format": 2}), encoding="utf-8")
    with pytest.raises(InvalidFile, check=has_message(STUDY_FORMAT, format=2, known=1)):
        kind.read(tmp_path / "x.json")
    assert kind.read(tmp_path / "none.json") is None
