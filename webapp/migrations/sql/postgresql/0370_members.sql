-- Note the last day of a membership, which the audit trail binds, for the event of the act that sets it.

CREATE FUNCTION memberships_end_noted() RETURNS trigger LANGUAGE plpgsql
SECURITY DEFINER SET search_path FROM CURRENT AS $$
BEGIN
    INSERT INTO written_rows (organization_id, kind, row_id) VALUES (NEW.organization_id, 'member', NEW.user_id)
    ON CONFLICT DO NOTHING;
    RETURN NULL;
END
$$;

REVOKE ALL ON FUNCTION memberships_end_noted() FROM PUBLIC;

CREATE TRIGGER memberships_end_noted AFTER UPDATE OF ends_on ON memberships
FOR EACH ROW WHEN (OLD.ends_on IS DISTINCT FROM NEW.ends_on)
EXECUTE FUNCTION memberships_end_noted();
