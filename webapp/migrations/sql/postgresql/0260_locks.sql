-- What let a posted entry into its day, and what it is for, never changes, as all else of it.

CREATE FUNCTION entry_permission_fixed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'A posted entry never changes; correct or void it.'
        USING ERRCODE = 'integrity_constraint_violation';
END
$$;

CREATE TRIGGER entry_permission_fixed BEFORE UPDATE ON journal_entries
FOR EACH ROW WHEN (OLD.status <> 'DRAFT' AND (
    OLD.is_adjusting IS DISTINCT FROM NEW.is_adjusting
    OR OLD.lock_exception_id IS DISTINCT FROM NEW.lock_exception_id
    OR OLD.appropriates_on IS DISTINCT FROM NEW.appropriates_on
))
EXECUTE FUNCTION entry_permission_fixed();

-- An exception is only ended, once.

CREATE FUNCTION lock_exception_fixed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'An exception from the lock never changes; end it.'
        USING ERRCODE = 'integrity_constraint_violation';
END
$$;

CREATE TRIGGER lock_exception_fixed BEFORE UPDATE ON lock_exceptions
FOR EACH ROW WHEN (
    OLD.ended_at IS NOT NULL OR OLD.id IS DISTINCT FROM NEW.id
    OR OLD.organization_id IS DISTINCT FROM NEW.organization_id OR OLD.user_id IS DISTINCT FROM NEW.user_id
    OR OLD.starts_on IS DISTINCT FROM NEW.starts_on OR OLD.until IS DISTINCT FROM NEW.until
    OR OLD.note IS DISTINCT FROM NEW.note OR OLD.granted_by::text IS DISTINCT FROM NEW.granted_by::text
)
EXECUTE FUNCTION lock_exception_fixed();

-- The lock of adjusting entries is part of what the audit trail binds.

CREATE FUNCTION organizations_adjustments_noted() RETURNS trigger LANGUAGE plpgsql
SECURITY DEFINER SET search_path FROM CURRENT AS $$
BEGIN
    INSERT INTO written_rows (organization_id, kind, row_id) VALUES (NEW.id, 'organization', 0)
    ON CONFLICT DO NOTHING;
    RETURN NULL;
END
$$;

REVOKE ALL ON FUNCTION organizations_adjustments_noted() FROM PUBLIC;

CREATE TRIGGER organizations_adjustments_noted AFTER UPDATE OF adjustments_lock_date ON organizations
FOR EACH ROW WHEN (OLD.adjustments_lock_date IS DISTINCT FROM NEW.adjustments_lock_date)
EXECUTE FUNCTION organizations_adjustments_noted();
