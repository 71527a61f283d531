"""Adaptive comparison: rounds of interleaved blocks until the order of the candidates is known."""

from app.measurement.adaptive.comparison import AdaptiveComparison

__all__ = ["AdaptiveComparison"]
