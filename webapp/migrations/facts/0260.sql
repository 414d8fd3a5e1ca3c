-- Facts of the books that no upgrade may change, on columns that exist since 0.1.0: whose, what, and its figures.

-- trial balance
SELECT p.organization_id, 'account ' || p.account_id || ' in ' || p.currency, sum(p.amount_minor),
    sum(p.amount_base_minor), count(*)
FROM postings p JOIN journal_entries e ON e.organization_id = p.organization_id AND e.id = p.journal_entry_id
WHERE e.status IN ('POSTED', 'VOIDED') GROUP BY p.organization_id, p.account_id, p.currency;

-- entries
SELECT organization_id, status, count(*), min(number), max(number), count(DISTINCT number), min(effective_on),
    max(effective_on)
FROM journal_entries GROUP BY organization_id, status;

-- bank lines
SELECT organization_id, 'bank account ' || feed_account_id || ' ' || status, count(*), sum(amount_minor)
FROM transactions GROUP BY organization_id, feed_account_id, status;

-- settlements
SELECT s.organization_id, 'account ' || s.account_id || ' in ' || s.currency || ' ' || s.status,
    count(DISTINCT s.id), count(p.id), sum(p.amount_minor), sum(p.amount_base_minor)
FROM settlements s JOIN settlement_parts p ON p.organization_id = s.organization_id AND p.settlement_id = s.id
GROUP BY s.organization_id, s.account_id, s.currency, s.status;

-- proofs
SELECT organization_id, 'bank account ' || feed_account_id || ' ' || status, count(*), sum(statement_balance_minor),
    max(digest)
FROM reconciliations GROUP BY organization_id, feed_account_id, status;

-- audit trail
SELECT e.organization_id, 'head', e.sequence, e.hash FROM audit_events e
WHERE NOT EXISTS (
    SELECT 1 FROM audit_events l WHERE l.organization_id = e.organization_id AND l.sequence > e.sequence
);

-- bound rows
SELECT organization_id, kind, count(*), max(sequence) FROM bound_rows GROUP BY organization_id, kind;
