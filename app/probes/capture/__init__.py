"""What can be seen on the underlay: captures, plaintext in them, what a frame costs, what a breakage does."""

from app.probes.capture.leak_tests import probe_wire, wire_s
from app.probes.capture.overhead import WireCost, cost_on_wire
from app.probes.capture.request import WireRequest, missing_for_wire

__all__ = ["WireCost", "WireRequest", "cost_on_wire", "missing_for_wire", "probe_wire", "wire_s"]
