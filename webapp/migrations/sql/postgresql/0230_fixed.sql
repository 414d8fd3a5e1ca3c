-- Refuse every change of what is posted, of settlements that stand, of versions of rules, and of the audit trail.

CREATE FUNCTION entry_born_draft() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NEW.status <> 'DRAFT' THEN
        RAISE EXCEPTION 'An entry is born as a draft.' USING ERRCODE = 'integrity_constraint_violation';
    END IF;
    RETURN NEW;
END
$$;

CREATE TRIGGER entry_born_draft BEFORE INSERT ON journal_entries
FOR EACH ROW EXECUTE FUNCTION entry_born_draft();

-- An entry has two legs or more, which sum to zero in the base currency, and in their own where they have one.
CREATE FUNCTION entry_balances() RETURNS trigger LANGUAGE plpgsql
SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
    legs record;
BEGIN
    SELECT count(*) AS number, count(p.amount_base_minor) AS converted, sum(p.amount_base_minor) AS base,
        min(p.currency) = max(p.currency) AS is_of_one_currency, sum(p.amount_minor) AS amount
    INTO legs
    FROM postings p
    WHERE p.organization_id = NEW.organization_id AND p.journal_entry_id = NEW.id;
    IF legs.number < 2 OR legs.converted < legs.number OR legs.base <> 0
        OR (legs.is_of_one_currency AND legs.amount <> 0) THEN
        RAISE EXCEPTION 'An entry is posted with two legs or more that sum to zero.'
            USING ERRCODE = 'integrity_constraint_violation';
    END IF;
    RETURN NEW;
END
$$;

CREATE TRIGGER entry_balances BEFORE UPDATE ON journal_entries
FOR EACH ROW WHEN (OLD.status = 'DRAFT' AND NEW.status = 'POSTED') EXECUTE FUNCTION entry_balances();

-- All but the status and the entry that voids it stays when a posted entry is voided.
CREATE FUNCTION entry_fixed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF (
        OLD.status <> 'DRAFT'
        AND (
            NOT (
                OLD.status = 'POSTED' AND NEW.status = 'VOIDED' AND OLD.voided_by_id IS NULL
                AND NEW.voided_by_id IS NOT NULL
            )
            OR OLD.id IS DISTINCT FROM NEW.id OR OLD.organization_id IS DISTINCT FROM NEW.organization_id
            OR OLD.effective_on IS DISTINCT FROM NEW.effective_on
            OR OLD.description IS DISTINCT FROM NEW.description OR OLD.source IS DISTINCT FROM NEW.source
            OR OLD.base_currency IS DISTINCT FROM NEW.base_currency
            OR OLD.corrects_id IS DISTINCT FROM NEW.corrects_id OR OLD.voids_id IS DISTINCT FROM NEW.voids_id
            OR OLD.document_id IS DISTINCT FROM NEW.document_id
            OR OLD.action_request_id IS DISTINCT FROM NEW.action_request_id
            OR OLD.created_at IS DISTINCT FROM NEW.created_at OR OLD.posted_at IS DISTINCT FROM NEW.posted_at
            OR OLD.number IS DISTINCT FROM NEW.number OR OLD.fact_on IS DISTINCT FROM NEW.fact_on
            OR OLD.is_moved IS DISTINCT FROM NEW.is_moved OR OLD.is_closing IS DISTINCT FROM NEW.is_closing
            OR OLD.schedule_id IS DISTINCT FROM NEW.schedule_id
            OR OLD.tax_reason IS DISTINCT FROM NEW.tax_reason
        )
    )
        OR (OLD.status = 'DRAFT' AND NEW.status NOT IN ('DRAFT', 'POSTED')) THEN
        RAISE EXCEPTION 'A posted entry never changes; correct or void it.'
            USING ERRCODE = 'integrity_constraint_violation';
    END IF;
    RETURN NEW;
END
$$;

CREATE TRIGGER entry_fixed BEFORE UPDATE ON journal_entries
FOR EACH ROW EXECUTE FUNCTION entry_fixed();

CREATE FUNCTION entry_kept() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF OLD.status <> 'DRAFT' THEN
        RAISE EXCEPTION 'A posted entry never changes; correct or void it.'
            USING ERRCODE = 'integrity_constraint_violation';
    END IF;
    RETURN OLD;
END
$$;

CREATE TRIGGER entry_kept BEFORE DELETE ON journal_entries
FOR EACH ROW EXECUTE FUNCTION entry_kept();

CREATE FUNCTION leg_not_added() RETURNS trigger LANGUAGE plpgsql
SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
BEGIN
    IF EXISTS (
        SELECT 1
        FROM journal_entries e
        WHERE e.organization_id = NEW.organization_id AND e.id = NEW.journal_entry_id AND e.status <> 'DRAFT'
    ) THEN
        RAISE EXCEPTION 'The legs of a posted entry never change; correct or void it.'
            USING ERRCODE = 'integrity_constraint_violation';
    END IF;
    RETURN NEW;
END
$$;

CREATE TRIGGER leg_not_added BEFORE INSERT ON postings
FOR EACH ROW EXECUTE FUNCTION leg_not_added();

CREATE FUNCTION leg_fixed() RETURNS trigger LANGUAGE plpgsql
SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
BEGIN
    IF EXISTS (
        SELECT 1
        FROM journal_entries e
        WHERE e.organization_id = OLD.organization_id AND e.id = OLD.journal_entry_id AND e.status <> 'DRAFT'
    )
        OR EXISTS (
            SELECT 1
            FROM journal_entries e
            WHERE e.organization_id = NEW.organization_id AND e.id = NEW.journal_entry_id
                AND e.status <> 'DRAFT'
        ) THEN
        RAISE EXCEPTION 'The legs of a posted entry never change; correct or void it.'
            USING ERRCODE = 'integrity_constraint_violation';
    END IF;
    RETURN NEW;
END
$$;

CREATE TRIGGER leg_fixed BEFORE UPDATE ON postings
FOR EACH ROW EXECUTE FUNCTION leg_fixed();

CREATE FUNCTION leg_kept() RETURNS trigger LANGUAGE plpgsql
SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
BEGIN
    IF EXISTS (
        SELECT 1
        FROM journal_entries e
        WHERE e.organization_id = OLD.organization_id AND e.id = OLD.journal_entry_id AND e.status <> 'DRAFT'
    ) THEN
        RAISE EXCEPTION 'The legs of a posted entry never change; correct or void it.'
            USING ERRCODE = 'integrity_constraint_violation';
    END IF;
    RETURN OLD;
END
$$;

CREATE TRIGGER leg_kept BEFORE DELETE ON postings
FOR EACH ROW EXECUTE FUNCTION leg_kept();

-- A settlement stands with two parts or more that sum to zero.
CREATE FUNCTION settlement_even() RETURNS trigger LANGUAGE plpgsql
SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
BEGIN
    IF OLD.status = 'OPEN' AND NEW.status = 'STANDING'
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
        ) THEN
        RAISE EXCEPTION 'A settlement has two parts or more that sum to zero.'
            USING ERRCODE = 'integrity_constraint_violation';
    END IF;
    RETURN NEW;
END
$$;

CREATE TRIGGER settlement_even BEFORE UPDATE ON settlements
FOR EACH ROW EXECUTE FUNCTION settlement_even();

CREATE FUNCTION settlement_fixed() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
BEGIN
    IF OLD.status <> 'OPEN'
        AND (
            NOT (OLD.status = 'STANDING' AND NEW.status = 'UNDONE')
            OR OLD.organization_id IS DISTINCT FROM NEW.organization_id OR OLD.id IS DISTINCT FROM NEW.id
            OR OLD.account_id IS DISTINCT FROM NEW.account_id OR OLD.currency IS DISTINCT FROM NEW.currency
            OR OLD.base_currency IS DISTINCT FROM NEW.base_currency OR OLD.cause IS DISTINCT FROM NEW.cause
            OR OLD.settled_on IS DISTINCT FROM NEW.settled_on OR OLD.created_at IS DISTINCT FROM NEW.created_at
        ) THEN
        RAISE EXCEPTION 'A settlement that stands never changes; undo it.'
            USING ERRCODE = 'integrity_constraint_violation';
    END IF;
    RETURN NEW;
END
$$;

CREATE TRIGGER settlement_fixed BEFORE UPDATE ON settlements
FOR EACH ROW EXECUTE FUNCTION settlement_fixed();

CREATE FUNCTION settlement_kept() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
BEGIN
    IF OLD.status <> 'OPEN' THEN
        RAISE EXCEPTION 'A settlement that stands never changes; undo it.'
            USING ERRCODE = 'integrity_constraint_violation';
    END IF;
    RETURN OLD;
END
$$;

CREATE TRIGGER settlement_kept BEFORE DELETE ON settlements
FOR EACH ROW EXECUTE FUNCTION settlement_kept();

CREATE FUNCTION part_not_added() RETURNS trigger LANGUAGE plpgsql
SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
BEGIN
    IF EXISTS (
        SELECT 1
        FROM settlements s
        WHERE s.organization_id = NEW.organization_id AND s.id = NEW.settlement_id AND s.status <> 'OPEN'
    ) THEN
        RAISE EXCEPTION 'A settlement that stands never changes; undo it.'
            USING ERRCODE = 'integrity_constraint_violation';
    END IF;
    RETURN NEW;
END
$$;

CREATE TRIGGER part_not_added BEFORE INSERT ON settlement_parts
FOR EACH ROW EXECUTE FUNCTION part_not_added();

CREATE FUNCTION part_fixed() RETURNS trigger LANGUAGE plpgsql
SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
BEGIN
    IF EXISTS (
        SELECT 1
        FROM settlements s
        WHERE s.organization_id = OLD.organization_id AND s.id = OLD.settlement_id AND s.status <> 'OPEN'
    )
        OR EXISTS (
            SELECT 1
            FROM settlements s
            WHERE s.organization_id = NEW.organization_id AND s.id = NEW.settlement_id AND s.status <> 'OPEN'
        ) THEN
        RAISE EXCEPTION 'A settlement that stands never changes; undo it.'
            USING ERRCODE = 'integrity_constraint_violation';
    END IF;
    RETURN NEW;
END
$$;

CREATE TRIGGER part_fixed BEFORE UPDATE ON settlement_parts
FOR EACH ROW EXECUTE FUNCTION part_fixed();

CREATE FUNCTION part_kept() RETURNS trigger LANGUAGE plpgsql
SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
BEGIN
    IF EXISTS (
        SELECT 1
        FROM settlements s
        WHERE s.organization_id = OLD.organization_id AND s.id = OLD.settlement_id AND s.status <> 'OPEN'
    ) THEN
        RAISE EXCEPTION 'A settlement that stands never changes; undo it.'
            USING ERRCODE = 'integrity_constraint_violation';
    END IF;
    RETURN OLD;
END
$$;

CREATE TRIGGER part_kept BEFORE DELETE ON settlement_parts
FOR EACH ROW EXECUTE FUNCTION part_kept();

CREATE FUNCTION rule_version_fixed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'What a rule said in a version never changes.'
        USING ERRCODE = 'integrity_constraint_violation';
END
$$;

CREATE TRIGGER rule_version_fixed BEFORE UPDATE ON rule_versions
FOR EACH ROW EXECUTE FUNCTION rule_version_fixed();

CREATE TRIGGER rule_version_kept BEFORE DELETE ON rule_versions
FOR EACH ROW EXECUTE FUNCTION rule_version_fixed();

CREATE FUNCTION audit_fixed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'The audit trail only grows.' USING ERRCODE = 'integrity_constraint_violation';
END
$$;

CREATE TRIGGER audit_fixed BEFORE UPDATE ON audit_events
FOR EACH ROW EXECUTE FUNCTION audit_fixed();

CREATE TRIGGER audit_kept BEFORE DELETE ON audit_events
FOR EACH ROW EXECUTE FUNCTION audit_fixed();

CREATE FUNCTION never_truncated() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'A posted entry never changes; correct or void it.'
        USING ERRCODE = 'integrity_constraint_violation';
END
$$;

CREATE TRIGGER never_truncated BEFORE TRUNCATE ON audit_events
FOR EACH STATEMENT EXECUTE FUNCTION never_truncated();

CREATE TRIGGER never_truncated BEFORE TRUNCATE ON journal_entries
FOR EACH STATEMENT EXECUTE FUNCTION never_truncated();

CREATE TRIGGER never_truncated BEFORE TRUNCATE ON postings
FOR EACH STATEMENT EXECUTE FUNCTION never_truncated();

CREATE TRIGGER bound_rows_update BEFORE UPDATE ON bound_rows
FOR EACH ROW EXECUTE FUNCTION audit_fixed();

CREATE TRIGGER bound_rows_delete BEFORE DELETE ON bound_rows
FOR EACH ROW EXECUTE FUNCTION audit_fixed();

CREATE TRIGGER bound_rows_truncate BEFORE TRUNCATE ON bound_rows
FOR EACH STATEMENT EXECUTE FUNCTION never_truncated();

-- Who may call such a function could hang it on a temporary table of his own, and write rows of any organization.
REVOKE ALL ON FUNCTION
    entry_balances, leg_not_added, leg_fixed, leg_kept, settlement_even, part_not_added, part_fixed, part_kept
FROM PUBLIC;
