"""Journal entries: drafts, posting, corrections, and the legs opposite a bank line."""
