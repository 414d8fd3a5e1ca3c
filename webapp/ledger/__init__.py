"""The pure rules of bookkeeping: no Flask, no SQLAlchemy, no clock."""
