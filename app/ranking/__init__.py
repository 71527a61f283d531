"""Statistics of stored measurements: weighted latency, ranking, gates and recommendation.

Pure functions of what was measured, so that a result can be computed again at any time. What chance explains is no
difference. Must not measure, and must not drop a value in silence: what is left out is named.
"""

from app.ranking.outcome import Outcome, Remedy, outcome_of
from app.ranking.published import STUDY_2011, own_2011, published_2011
from app.ranking.rank import rank
from app.ranking.speed import speed_findings
from app.ranking.summaries import summarise
from app.ranking.weighted import weighted_latency_ms

__all__ = [
    "STUDY_2011",
    "Outcome",
    "Remedy",
    "outcome_of",
    "own_2011",
    "published_2011",
    "rank",
    "speed_findings",
    "summarise",
    "weighted_latency_ms",
]
