"""The shape of data that comes in and goes out, shared by pages and API."""
