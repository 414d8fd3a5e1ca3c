"""Journal entries, their postings, kept sums and exchange rates."""
