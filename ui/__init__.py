"""The window: Qt widgets. It renders and collects, and decides nothing."""
