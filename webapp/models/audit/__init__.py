"""Action requests, audit events and kept answers."""
