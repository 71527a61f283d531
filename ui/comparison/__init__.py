"""Pages from hosts to a running comparison.

Collects what is to be measured and shows the run. State is the wizard's (`app.measurement.wizard`), not the pages'.
Must not show results: they are another feature.
"""
