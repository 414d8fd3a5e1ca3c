"""Open items: their age, and the payments that may settle them, with the evidence."""
