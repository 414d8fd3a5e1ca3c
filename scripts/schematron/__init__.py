"""Our verdicts on e-invoices held against those of the official schematron of EN 16931, from a checkout of it."""
