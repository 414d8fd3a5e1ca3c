"""Receipts and bills: filed, described, attached."""

from webapp.services.documents import (
    attached_files,
    declines,
    documents,
    further_files,
    parties,
    payments,
    relations,
)
