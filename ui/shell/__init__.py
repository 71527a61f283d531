"""The window around the pages: frame, steps, areas, menus, start and end.

Makes the pages and connects them, so that features need not know each other; the only part that knows them all. Ends
only once both hosts are clean, or the user knows that they are not. Must not hold a feature's logic.
"""
