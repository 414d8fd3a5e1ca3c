"""CAMT.053, CAMT.052 and CAMT.054 of ISO 20022: XML statements, entries and batches."""
