"""Storage of all that outlives the program, in one SQLite file; the only part that imports sqlite3.

Values go in and come out as the domain's types; older formats are migrated in one transaction. Writes are complete or
absent after a crash. Must not decide what is stored, and holds no secret.
"""

from app.storage.store import Store
from app.storage.summaries import CampaignSummary, CensusSummary

__all__ = ["CampaignSummary", "CensusSummary", "Store"]
