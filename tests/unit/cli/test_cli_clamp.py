"""Status at the terminal where TCP is to be fitted to the path."""

from __future__ import annotations

import io
import json
from dataclasses import replace

from fake_deployment_values import healthy_end

from app.cli.deployments import status_code
from app.cli.deployments_text import print_status
from app.cli.terminal import CleanConsole
from app.deployment.lan.messages import CLAMP_TITLE, OWN_TABLE
from app.domain.deployment import DeploymentState
from app.domain.deployment_status import ClampStatus, EndpointStatus, PairStatus
from app.domain.hosts import Side
from app.storage.codec import to_data
from support.message_checks import shows
from support.stored_deployments import AT, DEPLOYMENT, PAIR

THERE = ClampStatus(1414, 1394, is_there=True)
CLAMP = CLAMP_TITLE(ipv4=1414, ipv6=1394)
TITLE = OWN_TABLE(title=CLAMP)
CLAMPED = replace(DEPLOYMENT, a=replace(DEPLOYMENT.a, clamped=TITLE), b=replace(DEPLOYMENT.b, clamped=TITLE))
MISSING = "TCP NOT FITTED TO THE PATH"


def end(side: Side, clamp: ClampStatus | None) -> EndpointStatus:
    return replace(healthy_end(PAIR, side, DEPLOYMENT), clamp=clamp)


def status(a: ClampStatus | None, b: ClampStatus | None) -> PairStatus:
    return PairStatus("north", AT, CLAMPED, DeploymentState.CONFIRMED, end(Side.A, a), end(Side.B, b))


def text_of(found: PairStatus) -> str:
    out = io.StringIO()
    print_status(CleanConsole(file=out, width=200), found)
    return out.getvalue()


def test_tables_that_are_there_are_one_line() -> None:
    found = status(THERE, THERE)
    assert text_of(found).count(CLAMP) == 1
    assert MISSING not in text_of(found)
    assert status_code(found) == 0


def test_a_missing_table_is_shown_at_its_host_and_is_not_healthy() -> None:
    found = status(replace(THERE, is_there=False), THERE)
    lines = [line for line in text_of(found).splitlines() if MISSING in line]
    assert [line.split(":")[0] for line in lines] == [PAIR.a.label]
    assert CLAMP in text_of(found), "the other host's is there"
    assert status_code(found) == 1
    gone = replace(THERE, is_there=False)
    assert not shows(text_of(status(gone, gone)), CLAMP_TITLE.text)


def test_json_has_what_was_found_on_each_host() -> None:
    data = json.loads(json.dumps(to_data(status(replace(THERE, is_there=False, has_nft=False), None))))
    assert data["a"]["clamp"] == {
        "mss_ipv4_bytes": 1414,
        "mss_ipv6_bytes": 1394,
        "is_there": False,
        "has_nft": False,
    }
    assert data["b"]["clamp"] is None
