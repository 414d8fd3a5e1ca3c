-- Refuse every change of what is posted, of settlements that stand, of versions of rules, and of the audit trail.

CREATE TRIGGER entry_born_draft BEFORE INSERT ON journal_entries
WHEN NEW.status <> 'DRAFT'
BEGIN
    SELECT RAISE(ABORT, 'An entry is born as a draft.');
END;

-- An entry has two legs or more, which sum to zero in the base currency, and in their own where they have one.
CREATE TRIGGER entry_balances BEFORE UPDATE ON journal_entries
WHEN OLD.status = 'DRAFT' AND NEW.status = 'POSTED'
    AND (
        (SELECT count(*) FROM postings p WHERE p.journal_entry_id = NEW.id) < 2
        OR EXISTS (SELECT 1 FROM postings p WHERE p.journal_entry_id = NEW.id AND p.amount_base_minor IS NULL)
        OR (SELECT sum(p.amount_base_minor) FROM postings p WHERE p.journal_entry_id = NEW.id) <> 0
        OR (
            (SELECT count(DISTINCT p.currency) FROM postings p WHERE p.journal_entry_id = NEW.id) = 1
            AND (SELECT sum(p.amount_minor) FROM postings p WHERE p.journal_entry_id = NEW.id) <> 0
        )
    )
BEGIN
    SELECT RAISE(ABORT, 'An entry is posted with two legs or more that sum to zero.');
END;

-- All but the status and the entry that voids it stays when a posted entry is voided.
CREATE TRIGGER entry_fixed BEFORE UPDATE ON journal_entries
WHEN (
    OLD.status <> 'DRAFT'
    AND (
        NOT (
            OLD.status = 'POSTED' AND NEW.status = 'VOIDED' AND OLD.voided_by_id IS NULL
            AND NEW.voided_by_id IS NOT NULL
        )
        OR OLD.id IS NOT NEW.id OR OLD.organization_id IS NOT NEW.organization_id
        OR OLD.effective_on IS NOT NEW.effective_on OR OLD.description IS NOT NEW.description
        OR OLD.source IS NOT NEW.source OR OLD.base_currency IS NOT NEW.base_currency
        OR OLD.corrects_id IS NOT NEW.corrects_id OR OLD.voids_id IS NOT NEW.voids_id
        OR OLD.document_id IS NOT NEW.document_id OR OLD.action_request_id IS NOT NEW.action_request_id
        OR OLD.created_at IS NOT NEW.created_at OR OLD.posted_at IS NOT NEW.posted_at
        OR OLD.number IS NOT NEW.number OR OLD.fact_on IS NOT NEW.fact_on OR OLD.is_moved IS NOT NEW.is_moved
        OR OLD.is_closing IS NOT NEW.is_closing OR OLD.schedule_id IS NOT NEW.schedule_id
        OR OLD.tax_reason IS NOT NEW.tax_reason
    )
)
    OR (OLD.status = 'DRAFT' AND NEW.status NOT IN ('DRAFT', 'POSTED'))
BEGIN
    SELECT RAISE(ABORT, 'A posted entry never changes; correct or void it.');
END;

CREATE TRIGGER entry_kept BEFORE DELETE ON journal_entries
WHEN OLD.status <> 'DRAFT'
BEGIN
    SELECT RAISE(ABORT, 'A posted entry never changes; correct or void it.');
END;

CREATE TRIGGER leg_not_added BEFORE INSERT ON postings
WHEN EXISTS (SELECT 1 FROM journal_entries e WHERE e.id = NEW.journal_entry_id AND e.status <> 'DRAFT')
BEGIN
    SELECT RAISE(ABORT, 'The legs of a posted entry never change; correct or void it.');
END;

CREATE TRIGGER leg_fixed BEFORE UPDATE ON postings
WHEN EXISTS (SELECT 1 FROM journal_entries e WHERE e.id = OLD.journal_entry_id AND e.status <> 'DRAFT')
    OR EXISTS (SELECT 1 FROM journal_entries e WHERE e.id = NEW.journal_entry_id AND e.status <> 'DRAFT')
BEGIN
    SELECT RAISE(ABORT, 'The legs of a posted entry never change; correct or void it.');
END;

CREATE TRIGGER leg_kept BEFORE DELETE ON postings
WHEN EXISTS (SELECT 1 FROM journal_entries e WHERE e.id = OLD.journal_entry_id AND e.status <> 'DRAFT')
BEGIN
    SELECT RAISE(ABORT, 'The legs of a posted entry never change; correct or void it.');
END;

-- A settlement stands with two parts or more that sum to zero.
CREATE TRIGGER settlement_even BEFORE UPDATE ON settlements
WHEN OLD.status = 'OPEN' AND NEW.status = 'STANDING'
    AND (
        (
            SELECT count(*)
            FROM settlement_parts p
            WHERE p.organization_id = NEW.organization_id AND p.settlement_id = NEW.id
        ) < 2
        OR (
            SELECT sum(p.amount_minor)
            FROM settlement_parts p
            WHERE p.organization_id = NEW.organization_id AND p.settlement_id = NEW.id
        ) <> 0
    )
BEGIN
    SELECT RAISE(ABORT, 'A settlement has two parts or more that sum to zero.');
END;

CREATE TRIGGER settlement_fixed BEFORE UPDATE ON settlements
WHEN OLD.status <> 'OPEN'
    AND (
        NOT (OLD.status = 'STANDING' AND NEW.status = 'UNDONE')
        OR OLD.organization_id IS NOT NEW.organization_id OR OLD.id IS NOT NEW.id
        OR OLD.account_id IS NOT NEW.account_id OR OLD.currency IS NOT NEW.currency
        OR OLD.base_currency IS NOT NEW.base_currency OR OLD.cause IS NOT NEW.cause
        OR OLD.settled_on IS NOT NEW.settled_on OR OLD.created_at IS NOT NEW.created_at
    )
BEGIN
    SELECT RAISE(ABORT, 'A settlement that stands never changes; undo it.');
END;

CREATE TRIGGER settlement_kept BEFORE DELETE ON settlements
WHEN OLD.status <> 'OPEN'
BEGIN
    SELECT RAISE(ABORT, 'A settlement that stands never changes; undo it.');
END;

CREATE TRIGGER part_not_added BEFORE INSERT ON settlement_parts
WHEN EXISTS (
    SELECT 1
    FROM settlements s
    WHERE s.organization_id = NEW.organization_id AND s.id = NEW.settlement_id AND s.status <> 'OPEN'
)
BEGIN
    SELECT RAISE(ABORT, 'A settlement that stands never changes; undo it.');
END;

CREATE TRIGGER part_fixed BEFORE UPDATE ON settlement_parts
WHEN EXISTS (
    SELECT 1
    FROM settlements s
    WHERE s.organization_id = OLD.organization_id AND s.id = OLD.settlement_id AND s.status <> 'OPEN'
)
    OR EXISTS (
        SELECT 1
        FROM settlements s
        WHERE s.organization_id = NEW.organization_id AND s.id = NEW.settlement_id AND s.status <> 'OPEN'
    )
BEGIN
    SELECT RAISE(ABORT, 'A settlement that stands never changes; undo it.');
END;

CREATE TRIGGER part_kept BEFORE DELETE ON settlement_parts
WHEN EXISTS (
    SELECT 1
    FROM settlements s
    WHERE s.organization_id = OLD.organization_id AND s.id = OLD.settlement_id AND s.status <> 'OPEN'
)
BEGIN
    SELECT RAISE(ABORT, 'A settlement that stands never changes; undo it.');
END;

CREATE TRIGGER rule_version_fixed BEFORE UPDATE ON rule_versions
BEGIN
    SELECT RAISE(ABORT, 'What a rule said in a version never changes.');
END;

CREATE TRIGGER rule_version_kept BEFORE DELETE ON rule_versions
BEGIN
    SELECT RAISE(ABORT, 'What a rule said in a version never changes.');
END;

CREATE TRIGGER audit_fixed BEFORE UPDATE ON audit_events
BEGIN
    SELECT RAISE(ABORT, 'The audit trail only grows.');
END;

CREATE TRIGGER audit_kept BEFORE DELETE ON audit_events
BEGIN
    SELECT RAISE(ABORT, 'The audit trail only grows.');
END;

CREATE TRIGGER bound_rows_update BEFORE UPDATE ON bound_rows
BEGIN
    SELECT RAISE(ABORT, 'The audit trail only grows.');
END;

CREATE TRIGGER bound_rows_delete BEFORE DELETE ON bound_rows
BEGIN
    SELECT RAISE(ABORT, 'The audit trail only grows.');
END;
