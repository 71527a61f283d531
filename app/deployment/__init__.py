"""Deployments that outlive the program: planned, confirmed, monitored, replaced, removed.

Each host rolls back unless both are confirmed in time; the store follows what the hosts report.
Builds on `app.tunnel` for the transaction. Must not measure, and must not ask the user: events and decisions
are handed in.
"""
