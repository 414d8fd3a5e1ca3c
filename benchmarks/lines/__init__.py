"""Benchmarks of many bank lines: of selections of them, and of lines that are all alike."""
