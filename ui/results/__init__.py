"""Results: ranking, recommendation, candidates, history.

Shows what was measured, as stored, and what `app.ranking` computes from it. Must not start anything but what the
shell connects, and must not know another feature.
"""
