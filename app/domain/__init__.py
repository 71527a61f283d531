"""Values and contracts of Tunnelmark. Imports nothing of the other parts and does no I/O."""
