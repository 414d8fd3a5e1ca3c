-- Whether a posted entry closes a year never changes, as all else of it.

CREATE FUNCTION entry_closing_fixed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'A posted entry never changes; correct or void it.'
        USING ERRCODE = 'integrity_constraint_violation';
END
$$;

CREATE TRIGGER entry_closing_fixed BEFORE UPDATE ON journal_entries
FOR EACH ROW WHEN (OLD.status <> 'DRAFT' AND OLD.is_closing IS DISTINCT FROM NEW.is_closing)
EXECUTE FUNCTION entry_closing_fixed();
