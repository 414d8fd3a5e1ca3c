"""PostgreSQL on several nodes (Citus): each organization's rows on one of them, and what all need on every one."""
