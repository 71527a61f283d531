"""Gates in words: their readings, limits and verdicts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from app.domain.gates import Gate, GateName, GateVerdict
from app.wording.language import mark, tr
from app.wording.numbers import figure

GATE_COLUMNS = (mark("Condition"), mark("Reading"), mark("Verdict"), mark("Doubted above"), mark("Repeated above"))
"""Head of the table of gates."""

TITLES: Mapping[GateName, str] = {
    GateName.SPREAD: mark("Spread of the round-trip times"),
    GateName.DAEMON_WAIT: mark("Daemons waiting for a CPU"),
    GateName.ROUNDS: mark("Differences between rounds"),
    GateName.STEAL: mark("CPU taken by a hypervisor"),
    GateName.OWN_LOAD: mark("Other load of this computer"),
    GateName.DROPS: mark("Dropped packets"),
    GateName.UNDERLAY_DROPS: mark("Packets dropped or damaged on the underlay"),
    GateName.WARM_UP: mark("Warm-up"),
    GateName.RTT_RESOLUTION: mark("Resolution of round-trip times"),
    GateName.CLOCK_SOURCE: mark("Clock source"),
    GateName.GOVERNOR: mark("Frequency governor"),
    GateName.THROTTLING: mark("Throttling of the CPU"),
    GateName.CLOCK_STEP: mark("Clock steps"),
}
"""Names of the gates for people."""

VERDICTS: Mapping[GateVerdict, str] = {
    GateVerdict.OK: mark("ok"),
    GateVerdict.DOUBT: mark("in doubt"),
    GateVerdict.REPEAT: mark("disturbed"),
    GateVerdict.FAILED: mark("still disturbed after three repeats"),
}
"""Verdicts for people."""

_BARRED = mark("barred")
"""Verdict for people on a reading that bars without a repeat."""

_NEVER_REPEATED = mark("never; barred above {limit}")

_UNITS: Mapping[GateName, str] = {
    GateName.STEAL: " %",
    GateName.ROUNDS: " %",
    GateName.RTT_RESOLUTION: " %",
    GateName.OWN_LOAD: mark(" cores"),
    GateName.CLOCK_STEP: " ms",
}


def gate_rows(
    gates: Sequence[Gate], limits: Mapping[GateName, tuple[float | None, float | None, float | None]]
) -> tuple[tuple[str, ...], ...]:
    """Return a row per gate for a table.

    Args:
        gates: Verdicts of a candidate.
        limits: By gate, above which value it is doubted, repeated, and barred without a repeat; gates without figures
            are not in it.

    Returns:
        Texts in the order of `GATE_COLUMNS`.
    """
    return tuple(_row(gate, *limits.get(gate.name, (None, None, None))) for gate in gates)


def gates_warning(gates: Sequence[Gate]) -> str:
    """Return which conditions were in doubt, as a sentence; empty where none was.

    An unsteady warm-up is a doubt of its attempt, which has a sentence with the round.
    """
    words = [one.words for one in gates if one.verdict is GateVerdict.DOUBT and one.name is not GateName.WARM_UP]
    return tr("Conditions in doubt while measuring: {words}.").format(words="; ".join(words)) if words else ""


def _row(gate: Gate, doubt: float | None, repeat: float | None, bar: float | None) -> tuple[str, ...]:
    verdict, again = VERDICTS[gate.verdict], _limit(gate.name, repeat)
    if bar is not None:
        again = tr(_NEVER_REPEATED).format(limit=_limit(gate.name, bar))
        verdict = _BARRED if gate.verdict is GateVerdict.FAILED else verdict
    return tr(TITLES[gate.name]), gate.words, tr(verdict), _limit(gate.name, doubt), again


def _limit(name: GateName, value: float | None) -> str:
    return "–" if value is None else f"{figure(value, 3)}{tr(_UNITS.get(name, ''))}"
