"""Plots; the only place that imports pyqtgraph.

Draws values that it is given, with their units, in the colours of `app.wording.colours`, and saves pictures and
figures. Must not know a feature, and must not compute statistics.
"""
