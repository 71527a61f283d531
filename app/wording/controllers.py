"""Settings of controllers in words."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from app.domain.controllers import (
    ETHERNET_IP_FACTOR,
    PROFINET_FACTOR,
    Arrivals,
    ControllerAdvice,
    ControllerLimit,
    ControllerSetting,
    RestartOutage,
)
from app.wording.language import mark, tr, trn
from app.wording.local_forms import decimal, listed_names
from app.wording.messages import local_text
from app.wording.numbers import grouped, milliseconds

CONTROLLER_COLUMNS = (
    mark("Protocol"),
    mark("Setting"),
    mark("Smallest safe value"),
    mark("Assumes"),
    mark("Source of the assumption"),
)
"""Head of the table of controllers' settings."""

_WORDS = {
    ControllerSetting.PROFINET: (
        "PROFINET RT",
        mark("Update time"),
        mark("watchdog factor {factor}, as tools propose it"),
    ),
    ControllerSetting.ETHERNET_IP: (
        "EtherNet/IP",
        "RPI",
        mark("connection timeout multiplier {factor}, the least"),
    ),
    ControllerSetting.MODBUS: (
        "Modbus/TCP",
        mark("Response time-out"),
        mark("TCP sends a lost segment again after a round trip and 200 ms, then after twice that"),
    ),
    ControllerSetting.OPC_UA: (
        "OPC UA (TCP)",
        mark("Operation time-out"),
        mark("the same; without the server's own time"),
    ),
}
_TCP = mark("RFC 6298, 5.5 (doubled each time); Linux, TCP_RTO_MIN (200 ms)")
_SOURCES = {
    ControllerSetting.PROFINET: mark("IEC 61158-6-10, IOCRBlockReq, WatchdogFactor; 3 is the usual default of tools"),
    ControllerSetting.ETHERNET_IP: mark("CIP, Volume 1, Connection Timeout Multiplier: 4 is the least"),
    ControllerSetting.MODBUS: _TCP,
    ControllerSetting.OPC_UA: mark(
        "OPC 10000-4, RequestHeader, timeoutHint; RFC 6298, 5.5; Linux, TCP_RTO_MIN (200 ms)"
    ),
}
"""Standard and clause of each assumption."""

_FACTORS = {ControllerSetting.PROFINET: PROFINET_FACTOR, ControllerSetting.ETHERNET_IP: ETHERNET_IP_FACTOR}


def controller_heads() -> tuple[str, ...]:
    """Return the head of the table in the user's language."""
    return tuple(map(tr, CONTROLLER_COLUMNS))


def controller_rows(advice: Sequence[ControllerAdvice]) -> tuple[tuple[str, str, str, str, str], ...]:
    """Return a row per setting for a table, in the order of `CONTROLLER_COLUMNS`."""
    rows = []
    for one in advice:
        protocol, setting, _ = _WORDS[one.setting]
        words = controller_assumption(one.setting)
        rows.append((protocol, tr(setting), _value(one), words, controller_source(one.setting)))
    return tuple(rows)


def _value(one: ControllerAdvice) -> str:
    return f"{grouped(one.value_ms)} ms" if one.value_ms is not None else tr("none of those offered")


def controller_assumption(setting: ControllerSetting) -> str:
    """Return what the smallest safe value of a setting assumes."""
    return tr(_WORDS[setting][2]).format(factor=_FACTORS.get(setting))


def controller_source(setting: ControllerSetting) -> str:
    """Return where that assumption is from: standard and clause."""
    return tr(_SOURCES[setting])


def controller_protocol(setting: ControllerSetting) -> str:
    """Return the protocol that has a setting."""
    return _WORDS[setting][0]


def limit_words(limit: ControllerLimit) -> str:
    """Return a value of a setting with its limit, for example `PROFINET RT 2 ms: shortest RTT + 2 × 2 ms`."""
    factor = _FACTORS.get(limit.setting)
    value_ms = f"{grouped(limit.value_ms)} ms"
    value = f"{controller_protocol(limit.setting)} {value_ms}"
    if factor is None:
        return value
    return tr("{setting}: shortest RTT + {gaps} × {value}").format(setting=value, gaps=factor - 1, value=value_ms)


def outage_words(outage_s: float | None, advice: Sequence[ControllerAdvice]) -> str:
    """Return the longest outage with the smallest settings that outlast it; that none was measured.

    Args:
        outage_s: In s; None where none was measured.
        advice: Settings that outlast it.
    """
    if outage_s is None:
        return tr("not measured: no outage has ended yet")
    return tr("the longest of {outage}, outlasted with {values}").format(
        outage=f"{decimal(outage_s, 1)} s", values=_values(advice)
    )


def _values(advice: Sequence[ControllerAdvice]) -> str:
    return ", ".join(f"{controller_protocol(one.setting)} {_value(one)}" for one in advice)


def restart_words(found: RestartOutage | None) -> str:
    """Return the outage after a restart of the VPN, with the smallest settings that outlast it, as sentences."""
    if found is None:
        return tr(
            "Outage after a failure: not measured by this comparison. The workload restart measures that after a "
            "restart of the VPN on one host; the status of a deployment has those that its hosts saw, with the "
            "settings that outlast the longest."
        )
    if found.longest_s is None:
        text = tr("Outage after a restart of the VPN on one host: not known. {why}")
        return text.format(why=local_text(found.message)).rstrip()
    return tr(
        "Outage after a restart of the VPN on one host: up to {outage} (measured), outlasted with {values}. The time "
        "to notice a failure is not included: a deployment's supervisor adds its own."
    ).format(outage=f"{decimal(found.longest_s, 1)} s", values=_values(found.advice))


def controller_note(found: Arrivals, restart: RestartOutage | None = None) -> str:
    """Return what the smallest safe values rest on, and what is known of outages, as sentences."""
    lost = tr("none lost")
    if found.lost_in_a_row:
        text = tr("{number} lost in a row at most, or an outage of up to {time}")
        if not found.is_bounded:
            text = tr("{number} lost in a row at most, or an outage of up to {time}, longer where ping was restarted")
        lost = text.format(number=grouped(found.lost_in_a_row), time=milliseconds(found.outage_ms))
    elif found.outage_ms:
        lost = tr("none lost, but longer frames without a reply allow an outage of up to {time}").format(
            time=milliseconds(found.outage_ms)
        )
    note = tr(
        "From {replies} replies to frames of up to 128 bytes: {least} to {most}, {lost}. Leave room for rarer delays."
    ).format(
        replies=grouped(found.replies),
        least=milliseconds(found.least_ms),
        most=milliseconds(found.most_ms),
        lost=lost,
    )
    return " ".join((*_left_out(found), note, restart_words(restart), *_reading(found)))


def _left_out(found: Arrivals) -> Iterator[str]:
    """Return what the extremes leave out, as sentences."""
    if found.silent_rounds:
        rounds = listed_names([grouped(one) for one in found.silent_rounds])
        yield trn(
            "No setting is called safe: in round {rounds} the tunnel stopped carrying frames while it was measured.",
            "No setting is called safe: in rounds {rounds} the tunnel stopped carrying frames while it was measured.",
            len(found.silent_rounds),
        ).format(rounds=rounds)
    if found.repeated:
        yield trn(
            "{number} disturbed attempt was made again and is left out, its losses too.",
            "{number} disturbed attempts were made again and are left out, their losses too.",
            found.repeated,
        ).format(number=grouped(found.repeated))


def _reading(found: Arrivals) -> Iterator[str]:
    """Return what lost requests may have been, as a sentence."""
    if (found.lost_in_a_row or found.outage_ms) and not found.silent_rounds:
        yield tr(
            "Requests are not sent as often as cyclic data, so what was lost may be single frames or an outage: "
            "the values hold for both."
        )
