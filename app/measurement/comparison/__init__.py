"""Comparisons: planned, run attempt after attempt, paused, skipped, cancelled, resumed."""

from app.measurement.comparison.interfaces import CampaignStore, Tunnel, Tunnels
from app.measurement.comparison.planning import plan_campaign
from app.measurement.comparison.run import FINAL, run_campaign

__all__ = ["FINAL", "CampaignStore", "Tunnel", "Tunnels", "plan_campaign", "run_campaign"]
