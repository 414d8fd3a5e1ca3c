-- A close that was approved changes once, when it is reopened.

CREATE FUNCTION close_fixed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'A close never changes; reopen it.' USING ERRCODE = 'integrity_constraint_violation';
END
$$;

CREATE TRIGGER close_fixed BEFORE UPDATE ON closes
FOR EACH ROW WHEN (
    OLD.status <> 'PREPARED' AND (
        OLD.status <> 'CLOSED' OR NEW.status <> 'REOPENED'
        OR (OLD.id, OLD.organization_id, OLD.period, OLD.starts_on, OLD.ends_on, OLD.document, OLD.digest,
            OLD.previous_id, OLD.approved_by::text, OLD.approved_at)
        IS DISTINCT FROM
        (NEW.id, NEW.organization_id, NEW.period, NEW.starts_on, NEW.ends_on, NEW.document, NEW.digest,
            NEW.previous_id, NEW.approved_by::text, NEW.approved_at)
    )
)
EXECUTE FUNCTION close_fixed();

CREATE TRIGGER close_kept BEFORE DELETE ON closes
FOR EACH ROW WHEN (OLD.status <> 'PREPARED') EXECUTE FUNCTION close_fixed();
