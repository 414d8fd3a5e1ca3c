-- Note what else acts write that the audit trail binds, for the event of the act that does.

CREATE TRIGGER schedules_insert_noted AFTER INSERT ON schedules
BEGIN
    INSERT INTO written_rows (organization_id, kind, row_id) VALUES (NEW.organization_id, 'schedule', NEW.id)
    ON CONFLICT DO NOTHING;
END;

CREATE TRIGGER schedules_update_noted AFTER UPDATE ON schedules
BEGIN
    INSERT INTO written_rows (organization_id, kind, row_id) VALUES (NEW.organization_id, 'schedule', NEW.id)
    ON CONFLICT DO NOTHING;
END;

-- A part that a rule refused is planned as ever.
CREATE TRIGGER schedule_parts_update_noted AFTER UPDATE ON schedule_parts
WHEN OLD.due_on IS NOT NEW.due_on OR OLD.amount_minor IS NOT NEW.amount_minor
    OR OLD.amount_base_minor IS NOT NEW.amount_base_minor OR OLD.journal_entry_id IS NOT NEW.journal_entry_id
    OR replace(OLD.state, 'REFUSED', 'PLANNED') IS NOT replace(NEW.state, 'REFUSED', 'PLANNED')
BEGIN
    INSERT INTO written_rows (organization_id, kind, row_id)
    VALUES (NEW.organization_id, 'schedule', NEW.schedule_id)
    ON CONFLICT DO NOTHING;
END;

CREATE TRIGGER bank_connections_insert_noted AFTER INSERT ON bank_connections
BEGIN
    INSERT INTO written_rows (organization_id, kind, row_id)
    VALUES (NEW.organization_id, 'bank_connection', NEW.id)
    ON CONFLICT DO NOTHING;
END;

-- How the last try went is no choice of anybody.
CREATE TRIGGER bank_connections_update_noted AFTER UPDATE OF uid, provider, name, status ON bank_connections
WHEN OLD.uid IS NOT NEW.uid OR OLD.provider IS NOT NEW.provider OR OLD.name IS NOT NEW.name
    OR (OLD.status IS NOT NEW.status AND (OLD.status IN ('PAUSED', 'ENDED') OR NEW.status IN ('PAUSED', 'ENDED')))
BEGIN
    INSERT INTO written_rows (organization_id, kind, row_id)
    VALUES (NEW.organization_id, 'bank_connection', NEW.id)
    ON CONFLICT DO NOTHING;
END;

CREATE TRIGGER connected_accounts_update_noted AFTER UPDATE OF feed_account_id, is_left, fetch_from ON connected_accounts
WHEN OLD.feed_account_id IS NOT NEW.feed_account_id OR OLD.is_left IS NOT NEW.is_left
    OR OLD.fetch_from IS NOT NEW.fetch_from
BEGIN
    INSERT INTO written_rows (organization_id, kind, row_id)
    VALUES (NEW.organization_id, 'bank_connection', NEW.connection_id)
    ON CONFLICT DO NOTHING;
END;

CREATE TRIGGER documents_received_noted AFTER UPDATE OF received_on ON documents
WHEN OLD.received_on IS NOT NEW.received_on
BEGIN
    INSERT INTO written_rows (organization_id, kind, row_id) VALUES (NEW.organization_id, 'document', NEW.id)
    ON CONFLICT DO NOTHING;
END;

CREATE TRIGGER accounts_currency_noted AFTER UPDATE OF currency_from ON accounts
WHEN OLD.currency_from IS NOT NEW.currency_from
BEGIN
    INSERT INTO written_rows (organization_id, kind, row_id) VALUES (NEW.organization_id, 'account', NEW.id)
    ON CONFLICT DO NOTHING;
END;
