"""The faults: what happens to the hosts, for how long, and what ends it."""

from __future__ import annotations

import random
import signal
import subprocess
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass

from app.domain.hosts import Side
from faults.fields import Field, void

OUT_S = 45.0
"""For how long a cable is out, in seconds: longer than a host waits to hear of Tunnelmark."""
UNDERLAY_S = 15.0
CLOCK_S = 20.0

_GONE = "mv /usr/sbin/openvpn /usr/sbin/openvpn.gone"
_BACK = "mv /usr/sbin/openvpn.gone /usr/sbin/openvpn"
_REFUSING = """
mv /usr/sbin/openvpn /usr/sbin/openvpn.gone
cat > /usr/sbin/openvpn << 'END'
#!/bin/sh
case " $* " in *" --config "* | *.conf*)
    echo 'Options error: In openvpn.conf:1: this version does not know that option' >&2
    exit 1
    ;;
esac
exec /usr/sbin/openvpn.gone "$@"
END
chmod 755 /usr/sbin/openvpn
"""


@dataclass
class Struck:
    """A fault that has begun.

    Attributes:
        heal: What ends it.
        after_s: When it ends by itself, in seconds from its beginning; None: once the hosts have settled.
        note: What exactly was done.
    """

    heal: Callable[[], None] = lambda: None
    after_s: float | None = 0.0
    note: str = ""


class Healer:
    """Ends a fault after its time, in a thread of its own, or on request.

    Args:
        struck: The fault.
    """

    def __init__(self, struck: Struck) -> None:
        self._struck = struck
        self._ended_s = 0.0
        self._error: Exception | None = None
        self._thread = threading.Thread(target=self._heal_later, name="healing", daemon=True)
        self._thread.start()

    def _heal_later(self) -> None:
        if self._struck.after_s is not None:
            time.sleep(self._struck.after_s)
            self._heal()

    def _heal(self) -> None:
        try:
            self._struck.heal()
        except Exception as error:  # noqa: BLE001 - raised again by the one that waits for it
            self._error = error
        self._ended_s = time.monotonic()

    def end(self) -> float:
        """Wait until the fault has ended, or end it where it does not by itself; return when that was.

        Raises:
            AssertionError: It could not be ended.
        """
        self._thread.join()
        if self._struck.after_s is None:
            self._heal()
        if self._error is not None:
            raise AssertionError(f"the fault could not be ended: {self._error}") from self._error
        return self._ended_s


@dataclass
class Scene:
    """Targets of a fault.

    Attributes:
        field: The hosts.
        process: The Tunnelmark that deploys.
        rng: Random choices.
        second: Another Tunnelmark, which was stopped (SIGSTOP) when it began to deploy.
    """

    field: Field
    process: subprocess.Popen[str]
    rng: random.Random
    second: subprocess.Popen[str] | None = None

    def one_side(self) -> Side:
        """Choose a host."""
        return self.rng.choice(list(Side))


Strike = Callable[[Scene], Struck]


def _each(sides: tuple[Side, ...], what: Callable[[Scene, Side], Callable[[], None]], after_s: float) -> Strike:
    def strike(scene: Scene) -> Struck:
        healers = [what(scene, side) for side in sides]

        def heal() -> None:
            for one in healers:
                one()

        return Struck(heal, after_s)

    return strike


def _break(scene: Scene, side: Side) -> Callable[[], None]:
    scene.field.host(side).break_connections()
    return lambda: None


def _shut_out(scene: Scene, side: Side) -> Callable[[], None]:
    return scene.field.host(side).shut_out()


def _power(side: Side) -> Strike:
    def strike(scene: Scene) -> Struck:
        off_s = scene.rng.uniform(0.2, 5.0)
        host = scene.field.host(side)
        host.lose_power()
        time.sleep(off_s)
        host.regain_power()
        return Struck(note=f"off for {off_s:.1f} s")

    return strike


def _kill(scene: Scene) -> Struck:
    scene.process.send_signal(signal.SIGKILL)
    return Struck()


def _disk(scene: Scene) -> Struck:
    side = scene.one_side()
    return Struck(scene.field.host(side).fill_disks(), None, f"on {side.upper()}")


def _program(script: str) -> Strike:
    def strike(scene: Scene) -> Struck:
        side = scene.one_side()
        host = scene.field.host(side)
        host.run(script)
        return Struck(lambda: void(host.run(_BACK)), None, f"on {side.upper()}")

    return strike


def _underlay(scene: Scene) -> Struck:
    side = scene.one_side()
    return Struck(scene.field.host(side).cut_underlay(), UNDERLAY_S, f"{side.upper()}'s cable")


def _clock(scene: Scene) -> Struck:
    side, seconds = scene.one_side(), scene.rng.choice((-400, -1, 1, 400)) * 86_400
    return Struck(scene.field.host(side).move_clock(seconds), CLOCK_S, f"{side.upper()} by {seconds // 86_400} days")


def _second(scene: Scene) -> Struck:
    assert scene.second is not None
    scene.second.send_signal(signal.SIGCONT)
    return Struck()


BOTH = (Side.A, Side.B)
TWO = "two Tunnelmarks"
POWERLESS = {"power loss of A": Side.A, "power loss of B": Side.B}
"""Host that loses its power, by fault."""
FAULTS: dict[str, Strike] = {
    "SSH broken on A": _each((Side.A,), _break, 0.0),
    "SSH broken on B": _each((Side.B,), _break, 0.0),
    "SSH broken on both": _each(BOTH, _break, 0.0),
    "SSH out on A": _each((Side.A,), _shut_out, OUT_S),
    "SSH out on B": _each((Side.B,), _shut_out, OUT_S),
    "SSH out on both": _each(BOTH, _shut_out, OUT_S),
    **{name: _power(side) for name, side in POWERLESS.items()},
    "Tunnelmark killed": _kill,
    "disk full": _disk,
    "package vanishes": _program(_GONE),
    "daemon refuses": _program(_REFUSING),
    "underlay down": _underlay,
    "clock jump": _clock,
    TWO: _second,
}
"""By what they are called in the table."""
