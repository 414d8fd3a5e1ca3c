"""Rules with their versions, runs and settings."""
