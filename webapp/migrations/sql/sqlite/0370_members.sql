-- Note the last day of a membership, which the audit trail binds, for the event of the act that sets it.

CREATE TRIGGER memberships_end_noted AFTER UPDATE OF ends_on ON memberships
WHEN OLD.ends_on IS NOT NEW.ends_on
BEGIN
    INSERT INTO written_rows (organization_id, kind, row_id) VALUES (NEW.organization_id, 'member', NEW.user_id)
    ON CONFLICT DO NOTHING;
END;
