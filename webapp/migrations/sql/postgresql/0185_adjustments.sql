-- Why a posted entry adjusts boxes never changes, as all else of it.

CREATE FUNCTION entry_tax_reason_fixed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'A posted entry never changes; correct or void it.'
        USING ERRCODE = 'integrity_constraint_violation';
END
$$;

CREATE TRIGGER entry_tax_reason_fixed BEFORE UPDATE ON journal_entries
FOR EACH ROW WHEN (OLD.status <> 'DRAFT' AND OLD.tax_reason IS DISTINCT FROM NEW.tax_reason)
EXECUTE FUNCTION entry_tax_reason_fixed();
