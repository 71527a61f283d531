"""The window around the pages: frame, steps, areas, menus, start and end.

Makes the pages and connects them, so that features need not know each other. The only part that knows them all.
"""
