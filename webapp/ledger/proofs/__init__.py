"""Reconciliation as arithmetic: equations, proofs, proof files, balances of providers, coverage."""
