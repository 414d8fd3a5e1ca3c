"""Documents: records, pages, what they may belong to, what keeps one from being deleted; files that wait or are old."""

from webapp.queries.documents import (
    candidates,
    deletion_blockers,
    documents,
    evidence,
    file_history,
    findings,
    inbox_files,
    pages,
    parties,
    payments,
    retention,
    same_invoices,
    stated_taxes,
    suggestions,
    texts,
)
