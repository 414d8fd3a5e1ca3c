-- Note what else acts write that the audit trail binds, for the event of the act that does.

CREATE FUNCTION schedules_noted() RETURNS trigger LANGUAGE plpgsql
SECURITY DEFINER SET search_path FROM CURRENT AS $$
BEGIN
    INSERT INTO written_rows (organization_id, kind, row_id) VALUES (NEW.organization_id, 'schedule', NEW.id)
    ON CONFLICT DO NOTHING;
    RETURN NULL;
END
$$;

REVOKE ALL ON FUNCTION schedules_noted() FROM PUBLIC;

CREATE TRIGGER schedules_noted AFTER INSERT OR UPDATE ON schedules
FOR EACH ROW EXECUTE FUNCTION schedules_noted();

CREATE FUNCTION schedule_parts_noted() RETURNS trigger LANGUAGE plpgsql
SECURITY DEFINER SET search_path FROM CURRENT AS $$
BEGIN
    INSERT INTO written_rows (organization_id, kind, row_id)
    VALUES (NEW.organization_id, 'schedule', NEW.schedule_id)
    ON CONFLICT DO NOTHING;
    RETURN NULL;
END
$$;

REVOKE ALL ON FUNCTION schedule_parts_noted() FROM PUBLIC;

-- A part that a rule refused is planned as ever.
CREATE TRIGGER schedule_parts_noted AFTER UPDATE ON schedule_parts
FOR EACH ROW WHEN (
    OLD.due_on IS DISTINCT FROM NEW.due_on OR OLD.amount_minor IS DISTINCT FROM NEW.amount_minor
    OR OLD.amount_base_minor IS DISTINCT FROM NEW.amount_base_minor
    OR OLD.journal_entry_id IS DISTINCT FROM NEW.journal_entry_id
    OR replace(OLD.state, 'REFUSED', 'PLANNED') IS DISTINCT FROM replace(NEW.state, 'REFUSED', 'PLANNED')
)
EXECUTE FUNCTION schedule_parts_noted();

CREATE FUNCTION bank_connections_noted() RETURNS trigger LANGUAGE plpgsql
SECURITY DEFINER SET search_path FROM CURRENT AS $$
BEGIN
    INSERT INTO written_rows (organization_id, kind, row_id)
    VALUES (NEW.organization_id, 'bank_connection', NEW.id)
    ON CONFLICT DO NOTHING;
    RETURN NULL;
END
$$;

REVOKE ALL ON FUNCTION bank_connections_noted() FROM PUBLIC;

CREATE TRIGGER bank_connections_insert_noted AFTER INSERT ON bank_connections
FOR EACH ROW EXECUTE FUNCTION bank_connections_noted();

-- How the last try went is no choice of anybody.
CREATE TRIGGER bank_connections_update_noted AFTER UPDATE OF uid, provider, name, status ON bank_connections
FOR EACH ROW WHEN (
    OLD.uid IS DISTINCT FROM NEW.uid OR OLD.provider IS DISTINCT FROM NEW.provider
    OR OLD.name IS DISTINCT FROM NEW.name
    OR (OLD.status IS DISTINCT FROM NEW.status
        AND (OLD.status IN ('PAUSED', 'ENDED') OR NEW.status IN ('PAUSED', 'ENDED')))
)
EXECUTE FUNCTION bank_connections_noted();

CREATE FUNCTION connected_accounts_noted() RETURNS trigger LANGUAGE plpgsql
SECURITY DEFINER SET search_path FROM CURRENT AS $$
BEGIN
    INSERT INTO written_rows (organization_id, kind, row_id)
    VALUES (NEW.organization_id, 'bank_connection', NEW.connection_id)
    ON CONFLICT DO NOTHING;
    RETURN NULL;
END
$$;

REVOKE ALL ON FUNCTION connected_accounts_noted() FROM PUBLIC;

CREATE TRIGGER connected_accounts_noted AFTER UPDATE OF feed_account_id, is_left, fetch_from ON connected_accounts
FOR EACH ROW WHEN (
    OLD.feed_account_id IS DISTINCT FROM NEW.feed_account_id OR OLD.is_left IS DISTINCT FROM NEW.is_left
    OR OLD.fetch_from IS DISTINCT FROM NEW.fetch_from
)
EXECUTE FUNCTION connected_accounts_noted();

CREATE FUNCTION documents_received_noted() RETURNS trigger LANGUAGE plpgsql
SECURITY DEFINER SET search_path FROM CURRENT AS $$
BEGIN
    INSERT INTO written_rows (organization_id, kind, row_id) VALUES (NEW.organization_id, 'document', NEW.id)
    ON CONFLICT DO NOTHING;
    RETURN NULL;
END
$$;

REVOKE ALL ON FUNCTION documents_received_noted() FROM PUBLIC;

CREATE TRIGGER documents_received_noted AFTER UPDATE OF received_on ON documents
FOR EACH ROW WHEN (OLD.received_on IS DISTINCT FROM NEW.received_on)
EXECUTE FUNCTION documents_received_noted();

CREATE FUNCTION accounts_currency_noted() RETURNS trigger LANGUAGE plpgsql
SECURITY DEFINER SET search_path FROM CURRENT AS $$
BEGIN
    INSERT INTO written_rows (organization_id, kind, row_id) VALUES (NEW.organization_id, 'account', NEW.id)
    ON CONFLICT DO NOTHING;
    RETURN NULL;
END
$$;

REVOKE ALL ON FUNCTION accounts_currency_noted() FROM PUBLIC;

CREATE TRIGGER accounts_currency_noted AFTER UPDATE OF currency_from ON accounts
FOR EACH ROW WHEN (OLD.currency_from IS DISTINCT FROM NEW.currency_from)
EXECUTE FUNCTION accounts_currency_noted();
