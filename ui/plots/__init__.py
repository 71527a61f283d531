"""Plots; the only place that imports pyqtgraph."""
