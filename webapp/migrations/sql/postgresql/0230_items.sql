-- Keep what is owed and what of it is settled, as entries are posted and settlements stand and end.

-- A revaluation and what a settlement realised are no items, and neither are their reversals. What is dated before the
-- account kept items is one item for each merchant and currency.
CREATE FUNCTION items_of_entry() RETURNS trigger LANGUAGE plpgsql
SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
    added record;
BEGIN
    FOR added IN
        SELECT p.account_id, p.currency, p.org_merchant_id AS merchant_id,
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
    LOOP
        UPDATE items
        SET amount_minor = items.amount_minor + added.amount_minor,
            amount_base_minor = items.amount_base_minor + added.base_minor
        WHERE items.organization_id = NEW.organization_id AND items.account_id = added.account_id
            AND items.currency = added.currency AND items.org_merchant_id IS NOT DISTINCT FROM added.merchant_id
            AND items.journal_entry_id = added.root_id;
        IF NOT FOUND THEN
            UPDATE items
            SET amount_minor = items.amount_minor + added.amount_minor,
                amount_base_minor = items.amount_base_minor + added.base_minor
            WHERE items.organization_id = NEW.organization_id AND items.account_id = added.account_id
                AND items.currency = added.currency
                AND items.org_merchant_id IS NOT DISTINCT FROM added.merchant_id
                AND items.journal_entry_id IS NULL AND added.root_id IS NULL;
        END IF;
        IF NOT FOUND THEN
            INSERT INTO items (
                organization_id, id, account_id, currency, org_merchant_id, journal_entry_id, day, due_on,
                reference, amount_minor, amount_base_minor, settled_minor, settled_base_minor
            )
            VALUES (
                NEW.organization_id, added.id, added.account_id, added.currency, added.merchant_id,
                added.root_id, added.day,
                coalesce(
                    added.due_on,
                    CASE
                        WHEN added.side * added.amount_minor > 0 THEN added.day + added.terms_days
                        ELSE added.day END
                ),
                added.reference, added.amount_minor, added.base_minor, 0, 0
            );
        END IF;
    END LOOP;
    RETURN NULL;
END
$$;

CREATE TRIGGER items_of_entry AFTER UPDATE ON journal_entries
FOR EACH ROW WHEN (OLD.status = 'DRAFT' AND NEW.status = 'POSTED') EXECUTE FUNCTION items_of_entry();

CREATE FUNCTION items_of_settlement() RETURNS trigger LANGUAGE plpgsql
SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
    part record;
BEGIN
    FOR part IN
        SELECT p.item_id, p.amount_minor, p.amount_base_minor
        FROM settlement_parts p
        WHERE p.organization_id = NEW.organization_id AND p.settlement_id = NEW.id
    LOOP
        UPDATE items
        SET settled_minor = items.settled_minor + CASE NEW.status
            WHEN 'STANDING' THEN 1
            ELSE -1 END * part.amount_minor,
            settled_base_minor = items.settled_base_minor + CASE NEW.status
                WHEN 'STANDING' THEN 1
                ELSE -1 END * part.amount_base_minor
        WHERE items.organization_id = NEW.organization_id AND items.id = part.item_id
            AND items.account_id = NEW.account_id;
    END LOOP;
    RETURN NULL;
END
$$;

CREATE TRIGGER items_of_settlement AFTER UPDATE ON settlements
FOR EACH ROW WHEN (OLD.status <> NEW.status) EXECUTE FUNCTION items_of_settlement();

-- Who may call such a function could hang it on a temporary table of his own, and write rows of any organization.
REVOKE ALL ON FUNCTION
    items_of_entry, items_of_settlement
FROM PUBLIC;
