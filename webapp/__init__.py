"""Tieout: takes what the bank says, turns it into a correct ledger, and proves it."""
