"""Deployments that outlive the program: planned, confirmed, watched, replaced, removed.

Each host goes back to what it had unless both are confirmed in time; what is stored here follows what the hosts say.
Builds on `app.tunnel` for the transaction. Does not measure, and does not ask the user: events and decisions are
handed in.
"""
