"""What can be seen on the underlay: captures, plaintext in them, what a frame costs, what a breakage does."""

from app.probes.capture.leak_tests import capture_tests_s, run_capture_tests
from app.probes.capture.overhead import CaptureOverhead, capture_overhead
from app.probes.capture.request import CaptureTestsRequest, missing_for_capture

__all__ = [
    "CaptureOverhead",
    "CaptureTestsRequest",
    "capture_overhead",
    "capture_tests_s",
    "missing_for_capture",
    "run_capture_tests",
]
