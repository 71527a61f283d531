"""MTU of a tunnel that is fitted to the path: where it is set, what the scripts do, what a deployment says of it."""

from __future__ import annotations

import shutil
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from app.deployment.deployment_steps import DeploymentSteps
from app.deployment.lan.bridge import Bridging
from app.deployment.lan.messages import FIT_DISPROVED, FIT_PROVEN, FIT_UNTESTED
from app.deployment.proof import fit_sentence
from app.deployment.slots import persistent_link
from app.domain.adapters import EndpointPlan, PlanStep, TunnelPlan
from app.domain.capture import CaptureReport, FrameOverhead
from app.domain.commands import Command
from app.domain.hosts import Side
from app.domain.link import Link
from app.domain.script_files import bare_script
from app.domain.solutions import Suite
from support.message_checks import has_message

LINK = persistent_link(Link("192.0.2.1", "192.0.2.2"), "00112233aabbccdd", 0)
OWN = EndpointPlan((), (PlanStep("start", Command(("true",)), None),), "tml0")
PLAN = TunnelPlan("made-up", Suite("one", "one"), OWN, OWN, "198.19.0.1", "198.19.0.2", 1500, 42)
PLAN = replace(PLAN, largest_unfragmented_frame_bytes=1472)
JOINED = Bridging("tmlbr0", "eth2")


def fitted(plan: TunnelPlan, bridging: dict[Side, Bridging], *, fits: bool = True) -> TunnelPlan:
    return DeploymentSteps("/run/kept", bridging, fits_path_mtu=fits).extend(plan, LINK)


def test_the_mtu_is_set_last_on_both_sides_and_is_that_of_the_plan() -> None:
    plan = fitted(PLAN, {})
    assert plan.inner_mtu_bytes == 1458
    for side in Side:
        step = plan.on(side).steps[-1]
        assert step.command.argv[-2:] == ("tml0", "1458")
        assert step.undo is not None
        assert step.undo.argv[-2:] == ("tml0", "1500")
        assert step.health_check is not None
        assert step.health_check.argv[-2:] == ("tml0", "1458")
        # Firewalls are opened behind the last step like that.
        assert not step.is_repeatable


@pytest.mark.parametrize(
    ("plan", "bridging", "fits"),
    [
        (PLAN, {}, False),
        (PLAN, {Side.B: JOINED}, True),
        (PLAN, {Side.A: JOINED, Side.B: JOINED}, True),
        (replace(PLAN, largest_unfragmented_frame_bytes=None), {}, True),
        (replace(PLAN, largest_unfragmented_frame_bytes=1514), {}, True),
        (replace(PLAN, largest_unfragmented_frame_bytes=1293), {}, True),  # IPv6 needs 1280
    ],
    ids=["not asked for", "B joined", "both joined", "a stream", "fits anyway", "too small for IPv6"],
)
def test_the_mtu_is_kept_where_a_lower_one_is_no_use(
    plan: TunnelPlan, bridging: dict[Side, Bridging], fits: bool
) -> None:
    made = fitted(plan, bridging, fits=fits)
    assert made.inner_mtu_bytes == 1500
    words = [step.command.argv for side in Side for step in made.on(side).steps]
    assert not [argv for argv in words if "lan/tunnel-mtu" in " ".join(argv) or argv[-2:-1] == ("tml0",)]


def test_the_scripts_set_ask_and_mend(tmp_path: Path) -> None:
    name = "tmtest0"
    if shutil.which("unshare") is None:
        pytest.skip("unshare is missing (package util-linux)")
    lines = [f"ip link add {name} type veth peer name other && cd {tmp_path}"]
    for script in ("tunnel-mtu", "tunnel-mtu-undo", "tunnel-mtu-healthy"):
        (tmp_path / f"{script}.sh").write_text(bare_script(f"lan/{script}.sh"))
    mtu = f"cat /sys/class/net/{name}/mtu"
    healthy = f"sh tunnel-mtu-healthy.sh {name} 1400"
    lines += [
        f"{healthy}; echo asked $?",
        f"sh tunnel-mtu.sh {name} 1400; echo set $?; {mtu}; {healthy}; echo asked $?",
        f"ip link set {name} mtu 1500; {healthy}; echo asked $?",
        f"TUNNELMARK_NOTES=. TUNNELMARK_ASKS=yes {healthy}; echo status $?; {mtu}",
        f"TUNNELMARK_NOTES=. {healthy}; echo mended $?; {mtu}; grep -c 'set to 1400 again' log",
        f"sh tunnel-mtu-undo.sh {name} 1500; echo undone $?; {mtu}",
        f"ip link del {name}; sh tunnel-mtu-undo.sh {name} 1500; echo undone $?",
        f"TUNNELMARK_NOTES=. {healthy}; echo gone $?",
    ]
    inside = "mount -t sysfs sysfs /sys && " + "\n".join(lines)
    done = subprocess.run(["unshare", "-rnm", "sh", "-c", inside], capture_output=True, text=True, check=False)
    printed = " ".join(done.stdout.split())
    assert printed == (
        "asked 1 set 0 1400 asked 0 asked 1 status 0 1500 mended 0 1400 1 undone 0 1500 undone 0 gone 1"
    ), done.stderr


def cost(size: int, *, is_fragmented: bool) -> FrameOverhead:
    packets = 2.0 if is_fragmented else 1.0
    return FrameOverhead(size, packets, size + 42.0, size + 42.0, is_fragmented=is_fragmented)


def test_a_deployment_says_whether_the_largest_frame_that_fits_was_seen_to_cross_whole() -> None:
    on_lan, alone = fitted(PLAN, {Side.A: JOINED}), fitted(PLAN, {})
    for costs, form in (
        ((cost(1472, is_fragmented=False),), FIT_PROVEN),
        ((cost(1472, is_fragmented=True),), FIT_DISPROVED),
        ((), FIT_UNTESTED),
    ):
        for plan in (on_lan, alone):
            text, is_doubtful = fit_sentence(plan, CaptureReport(overhead=(*costs, cost(1514, is_fragmented=True))))
            assert has_message(form, size=1472)(text)
            assert is_doubtful is (form is not FIT_PROVEN)
    stream = replace(PLAN, largest_unfragmented_frame_bytes=None)
    assert fit_sentence(fitted(stream, {}), CaptureReport()) == ("", False)
