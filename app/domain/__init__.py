"""Values, contracts and errors.

Imports nothing of the other parts and does no I/O. What is defined here may cross every border of the program.
"""
