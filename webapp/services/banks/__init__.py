"""Connections to providers of bank lines: made, renewed and ended by people, and synced by the worker."""

from webapp.services.banks import connections, consents, enablebanking
