"""Measurements through a tunnel: one module per kind (latency, throughput, CPU, MTU) and their surroundings.

Each returns raw figures with their units, and errors that name the host. Commands are built here and run by the
host's session. Must not build or change tunnels, and must not judge figures.
"""

from app.probes.cpu import CpuMonitor, CpuReading
from app.probes.cpu_counters import CpuCounters
from app.probes.iperf_server import IperfServer
from app.probes.latency import LatencyOutcome, LatencyRequest, longest_s, measure_latency
from app.probes.path_mtu import probe_path_mtu
from app.probes.surroundings import inspect_surroundings
from app.probes.throughput import ThroughputOutcome, ThroughputRequest, measure_throughput, throughput_server
from app.probes.underlay import UnderlayWatch
from app.probes.underlay_guard import UnderlayGuard
from app.probes.validity import doubts_before, doubts_of_cpu, doubts_of_latency

__all__ = [
    "CpuCounters",
    "CpuMonitor",
    "CpuReading",
    "IperfServer",
    "LatencyOutcome",
    "LatencyRequest",
    "ThroughputOutcome",
    "ThroughputRequest",
    "UnderlayGuard",
    "UnderlayWatch",
    "doubts_before",
    "doubts_of_cpu",
    "doubts_of_latency",
    "inspect_surroundings",
    "longest_s",
    "measure_latency",
    "measure_throughput",
    "probe_path_mtu",
    "throughput_server",
]
