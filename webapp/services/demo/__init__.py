"""The demo's books, kept through the same services as everybody's."""
