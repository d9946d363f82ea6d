"""The compiled hot loops, and nothing else."""
