"""Adaptive comparison: rounds of interleaved blocks until the order of the candidates is known.

All tunnels are up side by side; each round yields an interim result and decides who is measured again. What was
measured is stored after each round. Must not choose the recommended candidate: `app.ranking` does.
"""

from app.measurement.adaptive.comparison import AdaptiveComparison, comparison_kind

__all__ = ["AdaptiveComparison", "comparison_kind"]
