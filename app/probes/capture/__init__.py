"""Packet tests on the underlay: captures, plaintext within them, overhead, behaviour without protection.

A claim is made only where canary frames were sent and the captures are complete; else it is not proven. Captured
bytes are untrusted and bounded. Must not keep a capture, and leaves a tunnel that was broken for rollback.
"""

from app.probes.capture.leak_tests import capture_tests_s, run_capture_tests
from app.probes.capture.overhead import capture_overhead
from app.probes.capture.request import CaptureTestsRequest, missing_for_capture

__all__ = [
    "CaptureTestsRequest",
    "capture_overhead",
    "capture_tests_s",
    "missing_for_capture",
    "run_capture_tests",
]
