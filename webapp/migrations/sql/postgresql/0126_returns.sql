-- A filed return changes once, when it is withdrawn, and so does a stamp; the audit trail binds what was filed.

CREATE FUNCTION tax_return_fixed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'A filed return never changes; withdraw it.' USING ERRCODE = 'integrity_constraint_violation';
END
$$;

CREATE TRIGGER tax_return_fixed BEFORE UPDATE ON tax_returns
FOR EACH ROW WHEN (
    OLD.status <> 'FILED' OR NEW.status <> 'WITHDRAWN'
    OR (OLD.id, OLD.organization_id, OLD.form, OLD.pack_version, OLD.starts_on, OLD.ends_on, OLD.figures::text,
        OLD.digest, OLD.reference, OLD.note, OLD.filed_at, OLD.filed_by::text, OLD.journal_entry_id)
    IS DISTINCT FROM
    (NEW.id, NEW.organization_id, NEW.form, NEW.pack_version, NEW.starts_on, NEW.ends_on, NEW.figures::text,
        NEW.digest, NEW.reference, NEW.note, NEW.filed_at, NEW.filed_by::text, NEW.journal_entry_id)
)
EXECUTE FUNCTION tax_return_fixed();

CREATE TRIGGER tax_return_kept BEFORE DELETE ON tax_returns FOR EACH ROW EXECUTE FUNCTION tax_return_fixed();

CREATE FUNCTION tax_stamp_fixed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'A stamp ends once, and never changes otherwise.'
        USING ERRCODE = 'integrity_constraint_violation';
END
$$;

CREATE TRIGGER tax_stamp_fixed BEFORE UPDATE ON tax_stamps
FOR EACH ROW WHEN (
    OLD.ended_at IS NOT NULL OR NEW.ended_at IS NULL
    OR (OLD.id, OLD.organization_id, OLD.return_id, OLD.posting_id, OLD.form)
    IS DISTINCT FROM (NEW.id, NEW.organization_id, NEW.return_id, NEW.posting_id, NEW.form)
)
EXECUTE FUNCTION tax_stamp_fixed();

CREATE TRIGGER tax_stamp_kept BEFORE DELETE ON tax_stamps FOR EACH ROW EXECUTE FUNCTION tax_stamp_fixed();

CREATE FUNCTION tax_return_noted() RETURNS trigger LANGUAGE plpgsql
SECURITY DEFINER SET search_path FROM CURRENT AS $$
BEGIN
    INSERT INTO written_rows (organization_id, kind, row_id) VALUES (NEW.organization_id, 'tax_return', NEW.id)
    ON CONFLICT DO NOTHING;
    RETURN NULL;
END
$$;

REVOKE ALL ON FUNCTION tax_return_noted() FROM PUBLIC;

CREATE TRIGGER tax_return_noted AFTER INSERT OR UPDATE ON tax_returns
FOR EACH ROW EXECUTE FUNCTION tax_return_noted();
