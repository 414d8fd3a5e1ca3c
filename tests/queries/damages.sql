-- Damage that is done to a copy of the demo's books, each headed by the code under which it is found.
-- "without" names a table whose own constraints have to go before the damage can be done.

-- unbalanced_base
UPDATE postings SET amount_base_minor = amount_base_minor + 1
WHERE id = (SELECT min(p.id) FROM postings p JOIN journal_entries e ON e.id = p.journal_entry_id
    WHERE e.status = 'POSTED');

-- unbalanced_currency
UPDATE postings SET amount_minor = amount_minor + 1
WHERE id = (SELECT min(p.id) FROM postings p JOIN journal_entries e ON e.id = p.journal_entry_id
    WHERE e.status = 'POSTED');

-- mirror_differs
UPDATE postings SET amount_base_minor = 7
WHERE id = (SELECT min(p.id) FROM postings p JOIN journal_entries e ON e.id = p.journal_entry_id
    WHERE e.status = 'POSTED');

-- too_few_legs
DELETE FROM postings
WHERE id = (SELECT min(p.id) FROM postings p JOIN journal_entries e ON e.id = p.journal_entry_id
    WHERE e.status = 'POSTED');

-- unbalanced_base
UPDATE postings SET position = 99, journal_entry_id = (SELECT min(id) FROM journal_entries WHERE source = 'manual')
WHERE id = (SELECT min(p.id) FROM postings p JOIN journal_entries e ON e.id = p.journal_entry_id
    WHERE e.status = 'POSTED');

-- mirror_missing
UPDATE postings SET amount_base_minor = NULL
WHERE id = (SELECT min(p.id) FROM postings p JOIN journal_entries e ON e.id = p.journal_entry_id
    WHERE e.status = 'POSTED');

-- base_currency
UPDATE postings SET base_currency = 'SEK'
WHERE id = (SELECT min(p.id) FROM postings p JOIN journal_entries e ON e.id = p.journal_entry_id
    WHERE e.status = 'POSTED');

-- account_currency
UPDATE postings SET currency = 'SEK'
WHERE id = (SELECT min(id) FROM postings WHERE is_bank_leg);

-- posted_by_nobody
UPDATE journal_entries SET action_request_id = NULL
WHERE id = (SELECT min(id) FROM journal_entries WHERE status = 'POSTED');

-- number_missing
UPDATE journal_entries SET number = NULL
WHERE id = (SELECT max(id) FROM journal_entries WHERE status = 'POSTED');

-- number_missing
UPDATE journal_entries SET number = 9000
WHERE id = (SELECT max(id) FROM journal_entries WHERE status = 'DRAFT');

-- number_gap
UPDATE journal_entries SET number = number + 1
WHERE number = (SELECT max(number) FROM journal_entries);

-- number_gap
UPDATE journal_entries SET number = 0 WHERE number = 1;

-- reversal_of_nothing
UPDATE journal_entries SET status = 'POSTED', voided_by_id = NULL
WHERE id = (SELECT min(id) FROM journal_entries WHERE status = 'VOIDED');

-- void_without_reversal
UPDATE journal_entries SET voided_by_id = (SELECT min(id) FROM journal_entries WHERE source = 'manual')
WHERE id = (SELECT min(id) FROM journal_entries WHERE status = 'VOIDED');

-- reversal_inexact
UPDATE postings SET project_id = (SELECT min(id) FROM projects)
WHERE journal_entry_id = (SELECT min(id) FROM journal_entries WHERE source = 'void');

-- correction_astray
UPDATE journal_entries SET corrects_id = (SELECT min(id) FROM journal_entries WHERE status = 'DRAFT')
WHERE id = (SELECT id FROM journal_entries WHERE status = 'DRAFT' AND source = 'correction');

-- source_contradicts
UPDATE journal_entries SET source = 'manual'
WHERE id = (SELECT id FROM journal_entries WHERE status = 'DRAFT' AND source = 'correction');

-- not_unique without journal_entries
UPDATE journal_entries SET status = 'DRAFT', corrects_id = 1 WHERE source = 'correction';

-- line_without_entry
UPDATE transactions SET journal_entry_id = NULL
WHERE id = (SELECT min(id) FROM transactions WHERE status = 'BOOKED' AND feed_account_id = 1);

-- line_with_entry
UPDATE transactions SET status = 'DELETED'
WHERE id = (SELECT min(id) FROM transactions WHERE status = 'BOOKED' AND feed_account_id = 1);

-- bank_leg_differs
UPDATE transactions SET amount_minor = amount_minor + 1
WHERE id = (SELECT min(id) FROM transactions WHERE status = 'BOOKED' AND feed_account_id = 1);

-- line_names_wrong_entry
UPDATE transactions SET journal_entry_id = (SELECT min(id) FROM journal_entries WHERE source = 'manual')
WHERE id = (SELECT min(id) FROM transactions WHERE status = 'BOOKED' AND feed_account_id = 1);

-- entry_without_line
DELETE FROM transactions
WHERE id = (SELECT min(id) FROM transactions WHERE status = 'BOOKED' AND feed_account_id = 1);

-- line_currency
UPDATE transactions SET currency = 'SEK'
WHERE id = (SELECT min(id) FROM transactions WHERE status = 'BOOKED' AND feed_account_id = 1);

-- not_unique without transactions
UPDATE transactions SET line_key = 'same', occurrence = 1 WHERE id < 3;

-- draft_in_locked_period
UPDATE organizations SET lock_date = '2099-12-31';

-- orphan
DELETE FROM merchants
WHERE id = (SELECT min(id) FROM merchants);

-- other_organization
UPDATE projects SET organization_id = 'org_of_somebody_else';

-- not_unique without feed_accounts
UPDATE feed_accounts SET account_id = (SELECT max(account_id) FROM feed_accounts);

-- not_unique without accounts
UPDATE accounts SET organization_id = 'another', id = (SELECT min(id) FROM accounts)
WHERE id = (SELECT max(id) FROM accounts);

-- feed_account_backing
UPDATE accounts SET currency = 'SEK'
WHERE id = (SELECT min(account_id) FROM feed_accounts);

-- provider_balance_currency
UPDATE provider_balances SET currency = 'SEK';

-- set_aside_without_opening
UPDATE transactions SET status = 'SET_ASIDE' WHERE feed_account_id = 2;

-- booked_before_opening
UPDATE transactions SET booked_on = '2020-01-01'
WHERE id = (SELECT min(id) FROM transactions WHERE status = 'BOOKED' AND feed_account_id = 1);

-- opening_without_proof
UPDATE reconciliations SET opening_entry_id = NULL
WHERE id = (SELECT min(id) FROM reconciliations WHERE keep_as_new);

-- opening_differs
UPDATE reconciliations SET opening_balance_minor = 1
WHERE id = (SELECT min(id) FROM reconciliations WHERE keep_as_new);

-- digest_differs
UPDATE reconciliations SET frozen = replace(frozen, 'EUR', 'SEK')
WHERE id = (SELECT min(id) FROM reconciliations WHERE status = 'COMPLETED' AND previous_id IS NOT NULL);

-- frozen_differs
UPDATE reconciliations SET statement_date = '2020-01-01'
WHERE id = (SELECT min(id) FROM reconciliations WHERE status = 'COMPLETED' AND previous_id IS NOT NULL);

-- proof_chain
UPDATE reconciliations SET previous_id = NULL
WHERE id = (SELECT min(id) FROM reconciliations WHERE status = 'COMPLETED' AND previous_id IS NOT NULL);

-- proof_items
DELETE FROM reconciliation_items
WHERE reconciliation_id = (SELECT min(id) FROM reconciliations WHERE status = 'COMPLETED' AND previous_id IS NOT NULL);

-- item_astray
UPDATE reconciliation_items SET is_standing = false
WHERE reconciliation_id = (SELECT min(id) FROM reconciliations WHERE status = 'COMPLETED' AND previous_id IS NOT NULL);

-- reconciliation_state
UPDATE reconciliations SET completed_at = NULL
WHERE id = (SELECT min(id) FROM reconciliations WHERE status = 'COMPLETED' AND previous_id IS NOT NULL);

-- chain_broken
UPDATE audit_events SET body = replace(body, 'org_', 'gro_') WHERE sequence = 60;

-- chain_broken
DELETE FROM audit_events WHERE sequence = 60;

-- request_not_audited
DELETE FROM audit_events WHERE sequence > 300;

-- request_not_audited
DELETE FROM audit_events WHERE sequence = (SELECT max(sequence) FROM audit_events) AND kind = 'propose';

-- event_differs
UPDATE action_requests SET created_at = '2020-02-29 10:00:00.000000'
WHERE id = (SELECT min(id) FROM action_requests WHERE status = 'EXECUTED');

-- event_differs
UPDATE action_requests SET decided_at = '2020-02-29 10:00:00.000000'
WHERE id = (SELECT min(id) FROM action_requests WHERE status = 'EXECUTED');

-- event_differs
UPDATE action_requests SET plan_id = 'ar_471102'
WHERE id = (SELECT min(id) FROM action_requests WHERE status = 'EXECUTED');

-- event_differs
UPDATE action_requests SET note = 'another one' WHERE kind = 'void_journal_entry';

-- event_without_request
DELETE FROM action_requests WHERE kind = 'void_journal_entry';

-- no_owner
UPDATE memberships SET role = 'viewer';

-- system_account_missing
UPDATE accounts SET role = NULL WHERE role = 'transfers';

-- system_account_archived
UPDATE accounts SET is_archived = TRUE WHERE role = 'transfers';

-- rate_not_positive
UPDATE exchange_rates SET units_per_base = '0' WHERE id = 1;

-- value_refused without accounts
UPDATE accounts SET type = 'NONSENSE' WHERE code = '6100';

-- value_missing without transactions
UPDATE transactions SET description = NULL
WHERE id = (SELECT min(id) FROM transactions WHERE status = 'BOOKED' AND feed_account_id = 1);

-- sum_differs
UPDATE day_sums SET amount_minor = amount_minor + 1
WHERE (organization_id, account_id, day) IN (SELECT organization_id, account_id, day FROM day_sums LIMIT 1);

-- sum_differs
UPDATE month_sums SET amount_base_minor = amount_base_minor - 1
WHERE (organization_id, account_id, day) IN (SELECT organization_id, account_id, day FROM month_sums LIMIT 1);

-- sum_differs
DELETE FROM day_sums
WHERE (organization_id, account_id, day) IN (SELECT organization_id, account_id, day FROM day_sums
    WHERE amount_minor <> 0 LIMIT 1);

-- line_sum_differs
UPDATE line_day_sums SET amount_minor = amount_minor + 1
WHERE (organization_id, feed_account_id, day) IN (SELECT organization_id, feed_account_id, day FROM line_day_sums LIMIT 1);

-- line_sum_differs
UPDATE line_month_sums SET unreconciled_count = unreconciled_count + 1
WHERE (organization_id, feed_account_id, day) IN (SELECT organization_id, feed_account_id, day FROM line_month_sums LIMIT 1);

-- line_sum_differs
UPDATE line_month_sums SET unconfirmed_count = unconfirmed_count - 1
WHERE (organization_id, feed_account_id, day) IN (SELECT organization_id, feed_account_id, day FROM line_month_sums
    WHERE unconfirmed_count > 0 LIMIT 1);

-- register_differs
DELETE FROM register_lines WHERE posting_id = (SELECT min(posting_id) FROM register_lines);

-- register_differs
UPDATE register_lines SET journal_entry_id = journal_entry_id + 1000000
WHERE posting_id = (SELECT max(posting_id) FROM register_lines);

-- proof_verdict
UPDATE transactions SET amount_minor = amount_minor + 1
WHERE id = (SELECT min(i.transaction_id) FROM reconciliation_items i
    JOIN reconciliations r ON r.id = i.reconciliation_id WHERE r.status = 'COMPLETED');

-- proof_verdict
INSERT INTO proof_breaks (organization_id, reconciliation_id, broken_at, broken_by, field, cleared_now_minor, off_by_minor)
SELECT organization_id, id, completed_at, '{}', 'amount', 0, 0 FROM reconciliations WHERE status = 'COMPLETED' LIMIT 1;

-- proof_break
INSERT INTO proof_breaks (organization_id, reconciliation_id, broken_at, broken_by, field, cleared_now_minor, off_by_minor)
SELECT organization_id, id, opened_at, '{}', 'amount', 0, 0 FROM reconciliations WHERE status <> 'COMPLETED' LIMIT 1;

-- feed_line_without_line
INSERT INTO feed_lines (organization_id, feed_account_id, provider_transaction_id, event, is_pending)
SELECT organization_id, id, 'X', 'ADDED', FALSE FROM feed_accounts ORDER BY id LIMIT 1;

-- feed_line_of_another_account
INSERT INTO feed_lines (organization_id, feed_account_id, provider_transaction_id, transaction_id, event, is_pending)
SELECT t.organization_id, f.id, 'X', t.id, 'ADDED', FALSE
FROM transactions t JOIN feed_accounts f ON f.id <> t.feed_account_id
WHERE t.status = 'BOOKED' ORDER BY t.id LIMIT 1;

-- feed_line_state
INSERT INTO feed_lines (organization_id, feed_account_id, provider_transaction_id, transaction_id, event, is_pending)
SELECT organization_id, feed_account_id, 'X', id, 'ADDED', TRUE
FROM transactions WHERE status = 'BOOKED' ORDER BY id LIMIT 1;

-- line_join
INSERT INTO line_joins (organization_id, kept_id, joined_id, tier, status, reason, evidence, created_at)
SELECT t.organization_id, t.id, o.id, 'TWIN', 'JOINED', '', '{}', t.created_at
FROM transactions t JOIN transactions o ON o.feed_account_id = t.feed_account_id AND o.id > t.id
WHERE t.status = 'BOOKED' AND o.status = 'BOOKED' ORDER BY t.id, o.id LIMIT 1;

-- pair_one_sided
UPDATE transfer_pairs SET status = 'UNDONE' WHERE id = (SELECT min(id) FROM transfer_pairs WHERE status = 'STANDING');

-- pair_of_no_transfer
UPDATE transactions SET amount_minor = amount_minor + 1
WHERE id = (SELECT min(transaction_id) FROM transfer_pairs WHERE status = 'STANDING');

-- pair_settled_differs
UPDATE transfer_pairs SET is_settled = NOT is_settled WHERE status = 'STANDING';

-- transfers_not_nil
UPDATE month_sums SET amount_base_minor = amount_base_minor + 1
WHERE account_id = (SELECT min(id) FROM accounts WHERE role = 'transfers');

-- settlement_unbalanced
INSERT INTO settlements (organization_id, account_id, currency, base_currency, status, settled_on, actor, created_at)
SELECT organization_id, id, 'EUR', 'EUR', 'STANDING', '2026-03-02', '{}', created_at FROM accounts WHERE role = 'transfers';

-- draft_of_strangers
UPDATE transactions SET journal_entry_id = (SELECT min(t.journal_entry_id) FROM transactions t JOIN journal_entries e
    ON e.id = t.journal_entry_id WHERE e.status = 'DRAFT')
WHERE id = (SELECT max(t.id) FROM transactions t JOIN journal_entries e
    ON e.id = t.journal_entry_id WHERE e.status = 'DRAFT');

-- orphan
UPDATE transfer_pairs SET other_id = 999999999
WHERE id = (SELECT min(id) FROM transfer_pairs);

-- orphan
INSERT INTO touched_proofs (organization_id, reconciliation_id)
SELECT organization_id, 999999999 FROM feed_accounts ORDER BY id LIMIT 1;

-- line_sum_differs
DELETE FROM line_month_sums
WHERE (organization_id, feed_account_id, day) IN (SELECT organization_id, feed_account_id, day FROM line_month_sums
    WHERE amount_minor <> 0 LIMIT 1);

-- rule_version_differs
UPDATE rules SET conditions = '{"match": "ALL", "conditions": []}' WHERE id IN (SELECT min(id) FROM rules);

-- rule_version_differs
UPDATE rules SET version = version + 1 WHERE id IN (SELECT min(id) FROM rules);

-- merged_into_merged
UPDATE merchants SET merged_into_id = (SELECT min(id) FROM merchants) + (SELECT max(id) FROM merchants) - id
WHERE id IN (SELECT min(id) FROM merchants UNION SELECT max(id) FROM merchants);

-- merged_through_another
UPDATE merchants SET merged_into_id = (SELECT min(id) FROM merchants),
    merged_through_id = (SELECT max(id) FROM merchants WHERE id < (SELECT max(id) FROM merchants))
WHERE id = (SELECT max(id) FROM merchants);

-- merged_in_a_loop
UPDATE merchants SET merged_into_id = (SELECT min(id) FROM merchants),
    merged_through_id = (SELECT max(id) FROM merchants) + (SELECT max(id) - 1 FROM merchants) - id
WHERE id IN (SELECT max(id) FROM merchants UNION SELECT max(id) - 1 FROM merchants);

-- tax_code_unknown
UPDATE postings SET tax_code_id = 471102
WHERE id = (SELECT min(p.id) FROM postings p JOIN journal_entries e ON e.id = p.journal_entry_id
    WHERE e.status = 'POSTED');

-- tax_return_differs
INSERT INTO tax_returns (id, organization_id, form, pack_version, starts_on, ends_on, status, is_notice, figures,
    digest, filed_at, filed_by)
SELECT 471102, organization_id, 'generic-vat', 1, '2020-01-01', '2020-03-31', 'FILED', 1 = 2,
    '{"boxes": [["A", "Tax", 100, 100], ["C", "Total", 100, 100]], "late": []}', '0', '2020-04-01 10:00:00', '{}'
FROM journal_entries ORDER BY id LIMIT 1;

-- unreadable_rows
INSERT INTO tax_returns (id, organization_id, form, pack_version, starts_on, ends_on, status, is_notice, figures,
    digest, filed_at, filed_by)
SELECT 471102, organization_id, 'no-form', 1, '2020-01-01', '2020-03-31', 'FILED', 1 = 2,
    '{"boxes": [], "late": []}', '0', '2020-04-01 10:00:00', '{}'
FROM journal_entries ORDER BY id LIMIT 1;

-- unreadable_rows
INSERT INTO tax_returns (id, organization_id, form, pack_version, starts_on, ends_on, status, is_notice, figures,
    digest, filed_at, filed_by)
SELECT 471102, organization_id, 'generic-vat', 1, '2020-01-01', '2020-03-31', 'FILED', 1 = 2,
    '[]', '0', '2020-04-01 10:00:00', '{}'
FROM journal_entries ORDER BY id LIMIT 1;

-- tax_waiting_differs
UPDATE accounts SET role = 'tax_waiting_purchases'
WHERE id = (SELECT min(p.account_id) FROM postings p
    JOIN journal_entries e ON e.id = p.journal_entry_id AND e.organization_id = p.organization_id
    JOIN accounts a ON a.id = p.account_id AND a.organization_id = p.organization_id
    WHERE e.status = 'POSTED' AND a.role IS NULL AND a.type = 'EXPENSE');

-- tax_parts_differ
INSERT INTO tax_parts (id, organization_id, journal_entry_id, kind, tax_code_id, tax_point, base_minor, tax_minor,
    posted_by_id, cause_id, is_own_day, size_minor)
SELECT 471102, organization_id, id, 'MONEY', 1, '2026-03-31', 1000, 200, id, id, 1 = 2, 0
FROM journal_entries WHERE status = 'POSTED' ORDER BY id LIMIT 1;
