"""What is done to two hosts while something is rolled out on them, and what becomes of them: see `make faults`."""
