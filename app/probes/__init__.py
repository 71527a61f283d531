"""One module per kind of measurement: latency, throughput, CPU, MTU, and what surrounds them."""

from app.probes.cpu import CpuMonitor, CpuReading
from app.probes.cpu_counters import CpuCounters
from app.probes.iperf_server import IperfServer
from app.probes.latency import LatencyOutcome, LatencyRequest, longest_s, measure_latency
from app.probes.path_mtu import probe_path_mtu
from app.probes.surroundings import Surroundings, inspect_surroundings
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
    "Surroundings",
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
