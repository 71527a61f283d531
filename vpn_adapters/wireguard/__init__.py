"""The adapter of this solution."""
