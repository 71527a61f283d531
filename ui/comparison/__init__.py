"""Pages from hosts to a running comparison.

Collects what is to be measured and shows the run. Results are another feature.
"""
