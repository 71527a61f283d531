"""The stages of a deployment as its user sees them, and when they begin."""

from __future__ import annotations

import random
import re
import subprocess
import threading
import time
from collections.abc import Callable, Sequence

from app.cli.words import deployment_stage_word
from app.deployment.events import DeploymentStage

STAGES = ("prepare", "arm", "apply", "verify", "confirm")
BETWEEN = "half"
"""The moment when A has confirmed and B has not."""
SPREAD_S = {"prepare": 1.0, "arm": 0.1, "apply": 0.2, "verify": 3.5, "confirm": 0.15, BETWEEN: 0.0}
"""Latest moment of a fault after the begin of a stage, in seconds, on hosts as fast as this computer."""
_PRINTED = {deployment_stage_word(stage): stage.value for stage in DeploymentStage}
_PRINTED[deployment_stage_word(DeploymentStage.ENABLE)] = "confirm"
_LINE = re.compile(r"^\s*[\d.]+ s  ([^:\n]+)")


class StageReader:
    """Reads what a Tunnelmark says, and knows which stages have begun.

    Args:
        process: The Tunnelmark.
    """

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self.process = process
        self._begun: dict[str, float] = {}
        self._changed = threading.Condition()
        self._has_ended = False
        self._began_s = time.monotonic()
        self.lines: list[str] = []
        self.at_s: list[float] = []
        self.out = ""
        self._threads = [
            threading.Thread(target=self._read_err, name="stages", daemon=True),
            threading.Thread(target=self._read_out, name="result", daemon=True),
        ]
        for thread in self._threads:
            thread.start()

    def _read_err(self) -> None:
        assert self.process.stderr is not None
        for line in self.process.stderr:
            with self._changed:
                self.lines.append(line.rstrip())
                self.at_s.append(time.monotonic() - self._began_s)
                if match := _LINE.match(line):
                    self._begun.setdefault(_PRINTED.get(match[1].strip(), match[1]), self.at_s[-1])
                self._changed.notify_all()
        with self._changed:
            self._has_ended = True
            self._changed.notify_all()

    def _read_out(self) -> None:
        assert self.process.stdout is not None
        self.out = self.process.stdout.read()

    def wait_for(self, stage: str, timeout_s: float) -> bool:
        """Wait until a stage has begun; return whether it has."""
        with self._changed:
            self._changed.wait_for(lambda: stage in self._begun or self._has_ended, timeout_s)
            return stage in self._begun

    def first_s(self, stage: str) -> float:
        """Return when a stage began, in seconds from the beginning."""
        return self._begun[stage]

    def wait_until(self, moment_s: float, timeline_s: Sequence[float]) -> bool:
        """Wait for a moment of another run, however fast or slow this one is: so long after the same line was printed.

        Args:
            moment_s: The moment, in seconds from the beginning of that run.
            timeline_s: When something was printed in it, and when it ended.

        Returns:
            Whether it came before this one ended.
        """
        reported = sum(at_s <= moment_s for at_s in timeline_s[:-1])
        with self._changed:
            self._changed.wait_for(lambda: len(self.lines) >= reported or self._has_ended)
            # What is left of the moment, if that run was as fast as this one.
            left_s = moment_s - (timeline_s[reported - 1] if reported else 0.0)
            return not self._changed.wait_for(lambda: self._has_ended, left_s)

    def strike_in(
        self, stage: str, rng: random.Random, timeout_s: float, is_confirmed_on_a: Callable[[], bool]
    ) -> float | None:
        """Wait for the moment of a fault.

        Returns:
            How long after the beginning of the stage that is, in seconds; None if it never came.
        """
        if stage == BETWEEN:
            if not self.wait_for("confirm", timeout_s):
                return None
            while not is_confirmed_on_a():
                if self.process.poll() is not None:
                    return None
            return 0.0
        if not self.wait_for(stage, timeout_s):
            return None
        delay_s = rng.uniform(0.0, SPREAD_S[stage])
        time.sleep(delay_s)
        return delay_s

    def close(self) -> None:
        """Wait until the process has printed everything."""
        for thread in self._threads:
            thread.join(20)
        for stream in (self.process.stdout, self.process.stderr):
            if stream is not None and not stream.closed:
                stream.close()
