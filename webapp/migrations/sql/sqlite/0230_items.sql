-- Keep what is owed and what of it is settled, as entries are posted and settlements stand and end.

-- A revaluation and what a settlement realised are no items, and neither are their reversals. What is dated before the
-- account kept items is one item for each merchant and currency.
CREATE TRIGGER items_of_entry AFTER UPDATE OF status ON journal_entries
WHEN OLD.status = 'DRAFT' AND NEW.status = 'POSTED'
BEGIN
    UPDATE items
    SET amount_minor = items.amount_minor + added.amount_minor,
        amount_base_minor = items.amount_base_minor + added.base_minor
    FROM (
        SELECT min(p.organization_id) AS organization_id, p.account_id, p.currency,
            p.org_merchant_id AS merchant_id,
            CASE WHEN o.effective_on < a.items_from THEN NULL ELSE r.id END AS root_id,
            CASE
                WHEN o.effective_on < a.items_from THEN NULL
                ELSE coalesce(
                    (
                        SELECT min(t.booked_on)
                        FROM postings b
                        JOIN transactions t ON t.organization_id = b.organization_id AND t.id = b.transaction_id
                        WHERE b.organization_id = NEW.organization_id AND b.journal_entry_id = r.id
                    ),
                    (
                        SELECT d.issued_on
                        FROM documents d
                        WHERE d.organization_id = NEW.organization_id AND d.id = r.document_id
                    ),
                    r.effective_on
                ) END AS day,
            CASE WHEN a.type = 'ASSET' THEN 1 ELSE -1 END AS side, coalesce(m.terms_days, 0) AS terms_days,
            min(p.id) AS id, sum(p.amount_minor) AS amount_minor, sum(p.amount_base_minor) AS base_minor,
            min(p.due_on) AS due_on, min(p.reference) AS reference
        FROM postings p
        JOIN accounts a ON a.organization_id = p.organization_id AND a.id = p.account_id AND a.keeps_items
        JOIN journal_entries r ON r.organization_id = p.organization_id
            AND r.id = coalesce(NEW.corrects_id, NEW.id)
        JOIN journal_entries o ON o.organization_id = p.organization_id
            AND o.id = coalesce(NEW.voids_id, NEW.corrects_id, NEW.id)
        LEFT JOIN merchants m ON m.organization_id = p.organization_id AND m.id = p.org_merchant_id
        WHERE p.organization_id = NEW.organization_id AND p.journal_entry_id = NEW.id
            AND o.source <> 'revaluation' AND (o.source <> 'settlement' OR p.amount_minor <> 0)
        GROUP BY p.account_id, p.currency, p.org_merchant_id, a.items_from, a.type, m.terms_days,
            o.effective_on, r.id, r.effective_on, r.document_id
    ) AS added
    WHERE items.organization_id = added.organization_id AND items.journal_entry_id IS added.root_id
        AND items.account_id = added.account_id AND +items.currency = added.currency
        AND +items.org_merchant_id IS added.merchant_id;
    INSERT INTO items (
        organization_id, id, account_id, currency, org_merchant_id, journal_entry_id, day, due_on, reference,
        amount_minor, amount_base_minor, settled_minor, settled_base_minor
    )
    SELECT NEW.organization_id, added.id, added.account_id, added.currency, added.merchant_id, added.root_id,
        added.day,
        coalesce(
            added.due_on,
            CASE
                WHEN added.side * added.amount_minor > 0 THEN date(
                    added.day, '+' || added.terms_days || ' days'
                )
                ELSE added.day END
        ),
        added.reference, added.amount_minor, added.base_minor, 0, 0
    FROM (
        SELECT min(p.organization_id) AS organization_id, p.account_id, p.currency,
            p.org_merchant_id AS merchant_id,
            CASE WHEN o.effective_on < a.items_from THEN NULL ELSE r.id END AS root_id,
            CASE
                WHEN o.effective_on < a.items_from THEN NULL
                ELSE coalesce(
                    (
                        SELECT min(t.booked_on)
                        FROM postings b
                        JOIN transactions t ON t.organization_id = b.organization_id AND t.id = b.transaction_id
                        WHERE b.organization_id = NEW.organization_id AND b.journal_entry_id = r.id
                    ),
                    (
                        SELECT d.issued_on
                        FROM documents d
                        WHERE d.organization_id = NEW.organization_id AND d.id = r.document_id
                    ),
                    r.effective_on
                ) END AS day,
            CASE WHEN a.type = 'ASSET' THEN 1 ELSE -1 END AS side, coalesce(m.terms_days, 0) AS terms_days,
            min(p.id) AS id, sum(p.amount_minor) AS amount_minor, sum(p.amount_base_minor) AS base_minor,
            min(p.due_on) AS due_on, min(p.reference) AS reference
        FROM postings p
        JOIN accounts a ON a.organization_id = p.organization_id AND a.id = p.account_id AND a.keeps_items
        JOIN journal_entries r ON r.organization_id = p.organization_id
            AND r.id = coalesce(NEW.corrects_id, NEW.id)
        JOIN journal_entries o ON o.organization_id = p.organization_id
            AND o.id = coalesce(NEW.voids_id, NEW.corrects_id, NEW.id)
        LEFT JOIN merchants m ON m.organization_id = p.organization_id AND m.id = p.org_merchant_id
        WHERE p.organization_id = NEW.organization_id AND p.journal_entry_id = NEW.id
            AND o.source <> 'revaluation' AND (o.source <> 'settlement' OR p.amount_minor <> 0)
        GROUP BY p.account_id, p.currency, p.org_merchant_id, a.items_from, a.type, m.terms_days,
            o.effective_on, r.id, r.effective_on, r.document_id
    ) AS added
    WHERE NOT EXISTS (
        SELECT 1
        FROM items
        WHERE items.organization_id = added.organization_id AND items.journal_entry_id IS added.root_id
            AND items.account_id = added.account_id AND +items.currency = added.currency
            AND +items.org_merchant_id IS added.merchant_id
    );
END;

CREATE TRIGGER items_of_settlement AFTER UPDATE OF status ON settlements
WHEN OLD.status <> NEW.status
BEGIN
    UPDATE items
    SET settled_minor = items.settled_minor + CASE NEW.status
        WHEN 'STANDING' THEN 1
        ELSE -1 END * part.amount_minor,
        settled_base_minor = items.settled_base_minor + CASE NEW.status
            WHEN 'STANDING' THEN 1
            ELSE -1 END * part.amount_base_minor
    FROM settlement_parts part
    WHERE part.organization_id = NEW.organization_id AND part.settlement_id = NEW.id
        AND items.organization_id = part.organization_id AND items.id = part.item_id
        AND +items.account_id = NEW.account_id;
END;
