"""Storage of all that outlives the program, in one SQLite file; the only part that imports sqlite3."""

from app.storage.store import Store
from app.storage.summaries import CampaignSummary, CensusSummary, MeanDurations

__all__ = ["CampaignSummary", "CensusSummary", "MeanDurations", "Store"]
