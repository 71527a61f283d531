"""Comparisons: planned, run attempt after attempt, paused, skipped, cancelled, resumed."""

from app.campaign.control import CampaignControl
from app.campaign.planning import plan_campaign
from app.campaign.ports import CampaignStore, Tunnel, Tunnels
from app.campaign.run import FINAL, run_campaign

__all__ = ["FINAL", "CampaignControl", "CampaignStore", "Tunnel", "Tunnels", "plan_campaign", "run_campaign"]
