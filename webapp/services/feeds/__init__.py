"""Pushes of a bank feed: each provider event recognised, joined, written and answered."""

from webapp.services.feeds import pushes
