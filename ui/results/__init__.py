"""Results: ranking, recommendation, candidates, history.

Shows what was measured, as stored. Starts nothing but what the shell connects.
"""
