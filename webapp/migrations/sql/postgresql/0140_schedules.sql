-- The schedule of a posted entry never changes, as all else of it.

CREATE FUNCTION entry_schedule_fixed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'A posted entry never changes; correct or void it.'
        USING ERRCODE = 'integrity_constraint_violation';
END
$$;

CREATE TRIGGER entry_schedule_fixed BEFORE UPDATE ON journal_entries
FOR EACH ROW WHEN (OLD.status <> 'DRAFT' AND OLD.schedule_id IS DISTINCT FROM NEW.schedule_id)
EXECUTE FUNCTION entry_schedule_fixed();
