"""Sentences on deployments that the terminal and the window both show."""

from __future__ import annotations

from app.domain.deployment import Deployment


def replaced_sentence(replaced: Deployment) -> str:
    """Return that a deployment is about to be replaced, and when it would be active again."""
    since = (replaced.confirmed_at or replaced.state_at).astimezone()
    return (
        f"Replaces {replaced.title}, active since {since:%Y-%m-%d %H:%M}. "
        "If the new tunnel fails or is not confirmed, both hosts roll back to it."
    )
