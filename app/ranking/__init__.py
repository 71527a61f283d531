"""Statistics, weighted latency, ranking and recommendation."""

from app.ranking.rank import rank
from app.ranking.summaries import summarise
from app.ranking.weighted import weighted_latency_ms

__all__ = ["rank", "summarise", "weighted_latency_ms"]
