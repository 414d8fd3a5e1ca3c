"""Taking an import back: its lines released to other sources, pending lines, and unused accounts."""
