"""Northlight Studio: an invented design studio whose bank lines come from a seed and a day, and from nothing else."""
