-- Statements that the database refuses, whatever the application does. Each begins with the engine and its name;
-- :posted :draft :lonely :voided :crooked :leaning are entries: a posted one, a draft, a draft with one leg, a voided
-- one, a draft out of balance in its currency, and one that is so in the base currency only.

-- both: another day on a posted header
UPDATE journal_entries
SET effective_on = '2027-01-01'
WHERE id = :posted;

-- both: another description
UPDATE journal_entries
SET description = 'x'
WHERE id = :posted;

-- both: another act
UPDATE journal_entries
SET action_request_id = 'ar_x'
WHERE id = :posted;

-- both: another number
UPDATE journal_entries
SET id = 99
WHERE id = :posted;

-- both: back to draft
UPDATE journal_entries
SET status = 'DRAFT'
WHERE id = :posted;

-- both: voided without a reversal
UPDATE journal_entries
SET status = 'VOIDED'
WHERE id = :posted;

-- both: voided and redated
UPDATE journal_entries
SET status = 'VOIDED', voided_by_id = :draft, effective_on = '2027-01-01'
WHERE id = :posted;

-- both: a posted header deleted
DELETE
FROM journal_entries
WHERE id = :posted;

-- both: a voided one posted again
UPDATE journal_entries
SET status = 'POSTED', voided_by_id = NULL
WHERE id = :voided;

-- both: a voided one of another reversal
UPDATE journal_entries
SET voided_by_id = :posted
WHERE id = :voided;

-- both: another amount on a posted leg
UPDATE postings
SET amount_minor = amount_minor + 1
WHERE journal_entry_id = :posted;

-- both: another mirror
UPDATE postings
SET amount_base_minor = NULL
WHERE journal_entry_id = :posted;

-- both: another account
UPDATE postings
SET account_id = account_id + 1
WHERE journal_entry_id = :posted;

-- both: another project
UPDATE postings
SET project_id = NULL, position = 7
WHERE journal_entry_id = :posted AND position = 1;

-- both: a posted leg deleted
DELETE
FROM postings
WHERE journal_entry_id = :posted;

-- both: a leg moved out of a posted entry
UPDATE postings
SET journal_entry_id = :draft, position = 8
WHERE journal_entry_id = :posted AND position = 0;

-- both: a leg moved into a posted entry
UPDATE postings
SET journal_entry_id = :posted, position = 8
WHERE journal_entry_id = :draft AND position = 0;

-- both: another number of a posted entry
UPDATE journal_entries
SET number = 99
WHERE id = :posted;

-- both: a leg added to a posted entry
INSERT INTO postings (organization_id, journal_entry_id, position, account_id, amount_minor, currency,
amount_base_minor, base_currency, is_bank_leg)
SELECT organization_id, :posted, 9, account_id, 5, currency, 5, base_currency, is_bank_leg
FROM postings
WHERE journal_entry_id = :posted AND position = 0;

-- both: posted at birth
INSERT INTO journal_entries (organization_id, effective_on, description, status, source, base_currency,
created_at)
SELECT organization_id, effective_on, description, 'POSTED', source, base_currency, created_at
FROM journal_entries
WHERE id = :posted;

-- both: voided at birth
INSERT INTO journal_entries (organization_id, effective_on, description, status, source, base_currency,
created_at)
SELECT organization_id, effective_on, description, 'VOIDED', source, base_currency, created_at
FROM journal_entries
WHERE id = :posted;

-- both: posted with one leg
UPDATE journal_entries
SET status = 'POSTED'
WHERE id = :lonely;

-- both: posted out of balance
UPDATE journal_entries
SET status = 'POSTED'
WHERE id = :crooked;

-- both: posted out of balance in the base currency
UPDATE journal_entries
SET status = 'POSTED'
WHERE id = :leaning;

-- both: a correction posted at birth
INSERT INTO journal_entries (organization_id, effective_on, description, status, source, base_currency,
corrects_id, created_at)
SELECT organization_id, effective_on, description, 'POSTED', 'correction', base_currency, id, created_at
FROM journal_entries
WHERE id = :posted;

-- both: draft straight to voided
UPDATE journal_entries
SET status = 'VOIDED', voided_by_id = :posted
WHERE id = :draft;

-- both: an audit event rewritten
UPDATE audit_events
SET body = '{}'
WHERE sequence = 1;

-- both: an audit event deleted
DELETE
FROM audit_events
WHERE sequence = 1;

-- sqlite: a posted header replaced
INSERT OR REPLACE INTO journal_entries (id, organization_id, effective_on, description, status, source,
base_currency, created_at)
SELECT id, organization_id, effective_on, 'x', 'DRAFT', source, base_currency, created_at
FROM journal_entries
WHERE id = :posted;

-- sqlite: a posted leg replaced
INSERT OR REPLACE INTO postings (id, organization_id, journal_entry_id, position, account_id, amount_minor,
currency, base_currency, is_bank_leg)
SELECT id, organization_id, :draft, 8, account_id, 1, currency, base_currency, is_bank_leg
FROM postings
WHERE journal_entry_id = :posted AND position = 0;

-- sqlite: a posted header upserted
INSERT INTO journal_entries (id, organization_id, effective_on, description, status, source, base_currency,
created_at)
SELECT id, organization_id, effective_on, 'x', 'DRAFT', source, base_currency, created_at
FROM journal_entries
WHERE id = :posted
ON CONFLICT (id) DO UPDATE
SET description = 'x';

-- sqlite: a posted header updated or replaced
UPDATE OR REPLACE journal_entries
SET id = :posted
WHERE id = :draft;

-- sqlite: an audit event replaced
INSERT OR REPLACE INTO audit_events
SELECT *
FROM audit_events
WHERE sequence = 1;

-- postgresql: entries truncated
TRUNCATE journal_entries CASCADE;

-- postgresql: legs truncated
TRUNCATE postings CASCADE;

-- postgresql: the audit trail truncated
TRUNCATE audit_events;

-- postgresql: a posted header upserted
INSERT INTO journal_entries (id, organization_id, effective_on, description, status, source, base_currency,
created_at)
SELECT id, organization_id, effective_on, 'x', 'DRAFT', source, base_currency, created_at
FROM journal_entries
WHERE id = :posted
ON CONFLICT (organization_id, id) DO UPDATE
SET description = 'x';

-- postgresql: a posted header merged away
MERGE INTO journal_entries e
USING (SELECT 1) s ON e.id = :posted
WHEN MATCHED THEN DELETE;
