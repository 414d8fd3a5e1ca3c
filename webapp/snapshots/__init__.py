"""Snapshots: a request's read transaction on a bare connection, and statements in SQL that are asked on it.

SQLAlchemy takes some 65 microseconds to hand a statement that is text already to a driver, and as much again to open a
connection and a session; SQLite answers in 7. What is asked a thousand times in a second is written as SQL once, and
asked of the driver. Where a session's transaction is open, the same statement is asked in that one.
"""
