-- The day of what a posted entry is about never changes, as all else of it.

CREATE FUNCTION entry_fact_fixed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'A posted entry never changes; correct or void it.'
        USING ERRCODE = 'integrity_constraint_violation';
END
$$;

CREATE TRIGGER entry_fact_fixed BEFORE UPDATE ON journal_entries
FOR EACH ROW WHEN (
    OLD.status <> 'DRAFT'
    AND (OLD.fact_on IS DISTINCT FROM NEW.fact_on OR OLD.is_moved IS DISTINCT FROM NEW.is_moved)
)
EXECUTE FUNCTION entry_fact_fixed();
