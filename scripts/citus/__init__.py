"""Our tests on a PostgreSQL of several nodes, which no CI has: on a cluster on loopback."""
