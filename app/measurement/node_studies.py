"""Study with nodes behind both gateways of a pair: its parts, the time they take, and what is measured."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from typing import Any

from app.discovery.pair_discovery import Discovery
from app.domain.errors import InvalidOption
from app.domain.hosts import Side
from app.domain.node_protection import ProtectedPlace
from app.domain.node_study import NodeSetting
from app.measurement.lab_study import LabRun, LabStudy, LabStudyAdapters, usual_suite, why_no_suite
from app.measurement.messages import NO_SAFE_SUITE
from app.measurement.messages.studies import NODE_SOLUTION_MISSING, NODE_STUDY_NEEDS_LAB, OWN_HOSTS_BRIDGED
from app.measurement.node_needs import NodeNeeds
from app.measurement.node_study_run import NodeChoice, NodePart, NodeStudyRun, ProtectedNodes
from app.probes.capture.request import missing_for_capture
from app.ranking.node_study import NODE_STUDY, node_settings
from app.storage.lab_results import NodeResults

NODE_PARTS: Mapping[str, NodePart] = {
    "quick": NodePart(rounds=3, pings=200, seconds=4),
    "all": NodePart(rounds=8, pings=2_000, seconds=10),
}
"""Amounts by part: three rounds are the fewest that say anything of the order."""

_NODE_NEEDS = NodeNeeds(
    {Side.A: ("ip", "nft", "ping", "iperf3", "perl"), Side.B: ("ip", "nft", "ping", "iperf3", "tcpdump")},
    beyond_busybox=("ip", "ping"),
)
"""Frames are injected by A with perl, and captured at B; requests carry marks, which BusyBox's ping cannot send."""

_BUILD_S, _HOPS_S, _PING_S, _SIZES = 16.0, 22.0, 0.0012, 7
"""Seconds of a tunnel with its nodes, made and removed; of captures and injections; of a request.

Source: own trials on a practice lab.
"""


class NodeStudy(LabStudy):
    """Implements `LabStudy`: a node behind each gateway."""

    name = NODE_STUDY
    parts = tuple(NODE_PARTS)
    needs_lab = NODE_STUDY_NEEDS_LAB
    own_hosts = OWN_HOSTS_BRIDGED
    kind = NodeResults
    node_needs = _NODE_NEEDS

    def keys(self, part: str) -> tuple[tuple[str, int], ...]:
        """Return settings and rounds of a part."""
        rounds = range(1, NODE_PARTS[part].rounds + 1)
        return tuple((one.name, number) for number in rounds for one in node_settings())

    def predicted_s(self, part: str, keys: Sequence[Any], *, is_shaped: bool = False) -> float:
        """Return about how long some rounds of settings take, in s."""
        del is_shaped  # no condition is made
        amounts = NODE_PARTS[part]
        each_s = _BUILD_S + amounts.pings * _SIZES * _PING_S + 2 * (amounts.seconds + 2)
        return len(keys) * each_s + sum(1 for _, number in keys if number == 1) * _HOPS_S

    def solutions(self, part: str) -> tuple[str, ...]:
        """Return none: settings are measured."""
        del part  # it has the same ones in each
        return ()

    def todays_suites(self, keys: Collection[Any], adapters: LabStudyAdapters, discovery: Discovery) -> dict[Any, str]:
        """Return the titles of the tunnels' suites that rounds of settings would be measured with."""
        suites: dict[str, str] = {}
        for setting in node_settings():
            with suppress(InvalidOption):
                suites[setting.name] = _choice(adapters, discovery, setting).suite.title
        return {key: suites[key[0]] for key in keys if key[0] in suites}

    def choices(self, adapters: LabStudyAdapters, run: LabRun) -> Sequence[NodeChoice]:
        """Return adapters and suites of each setting.

        Raises:
            InvalidOption: A setting, or a capture, is not possible on these hosts.
        """
        made = [_choice(adapters, run.discovery, setting) for setting in node_settings()]
        lacking = missing_for_capture(run.sessions, run.discovery.facts)
        if lacking:
            raise InvalidOption(lacking)
        return made

    def measure(self, run: LabRun, choices: Sequence[NodeChoice]) -> None:
        """Measure the rounds that are not done yet."""
        NodeStudyRun(
            *(choices, NODE_PARTS[run.part], run.kept.results.done(), run.sessions, run.discovery.facts, run.tunnels),
            *(run.guests, run.report, run.kept.keep, run.token),
            machines=run.machines,
            is_lab=run.discovery.pair.is_lab,
            cap_mbit_s=run.discovery.pair.load_cap_mbit_s,
        ).run()


def _choice(adapters: LabStudyAdapters, discovery: Discovery, setting: NodeSetting) -> NodeChoice:
    """Return adapters and suites of a setting; the tunnel's suite is the safe default, or the first of one without."""
    carrier = adapters.adapters[setting.carrier]
    suite = usual_suite(carrier, discovery, setting.carrier)
    if suite is None:
        why = why_no_suite(discovery, setting.carrier)
        raise InvalidOption(NODE_SOLUTION_MISSING(title=setting.title, why=why))
    if setting.place is ProtectedPlace.NOWHERE:
        return NodeChoice(setting, carrier, suite, None)
    protection = adapters.node_protections[setting.protection]
    own = protection.suite(discovery.facts[Side.A.value], discovery.facts[Side.B.value], setting.suite)
    if own is None:
        why = discovery.unavailable.get(setting.protection, NO_SAFE_SUITE())
        raise InvalidOption(NODE_SOLUTION_MISSING(title=setting.title, why=why))
    nodes = ProtectedNodes(protection, own, setting.place)
    return NodeChoice(setting, protection.around(carrier, setting.place), suite, nodes)
