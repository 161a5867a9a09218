import * as Effect from "effect/Effect"
import { SqlClient } from "effect/sql/SqlClient"

// o: each pair of account and key in the group. t: ends of calls; a: answers to store. r: reservations; c: their claims.
const parameters = `
  g_owner TEXT, g_alone BOOLEAN,
  o_account TEXT[], o_key TEXT[], o_first BIGINT[], o_day BIGINT[], o_month BIGINT[], o_reserved BIGINT[],
  o_charged BIGINT[], o_paid BOOLEAN[],
  t_account TEXT[], t_key TEXT[], t_reserved BIGINT[], t_call TEXT[], t_state TEXT[], t_cap BIGINT[], t_now BIGINT[],
  t_status BIGINT[], t_value BIGINT[], t_charged BIGINT[], t_charged_nano BIGINT[], t_loss BIGINT[], t_loss_nano BIGINT[],
  t_failed BIGINT[], t_cost_state TEXT[], t_evidence TEXT[], t_input BIGINT[], t_output BIGINT[], t_cache_read BIGINT[],
  t_cache_write BIGINT[], t_upstream TEXT[], t_tried TEXT[],
  a_at INT[], a_call TEXT[], a_status BIGINT[], a_content_type TEXT[], a_from INT[], a_length INT[], a_bodies BYTEA,
  r_call TEXT[], r_account TEXT[], r_key TEXT[], r_operation TEXT[], r_model TEXT[], r_tags TEXT[], r_amount BIGINT[], r_cap BIGINT[],
  r_created_at BIGINT[], r_claim TEXT[],
  c_at INT[], c_id TEXT[], c_payload TEXT[], c_call TEXT[], c_ends_at BIGINT[]`

// Plans are made once, perhaps on empty tables. With these settings they use the indexes, so they stay right as tables grow.
const settings = `
  SET plan_cache_mode = force_generic_plan
  SET enable_seqscan = off
  SET enable_hashjoin = off
  SET enable_mergejoin = off
  SET jit = off`

const body = `
DECLARE
  closed TEXT[];
  claimed TEXT[] := '{}';
  done INT[];
  -- What the decided commands change: account, key, amount charged, and amount reserved.
  d_account TEXT[] := '{}';
  d_key TEXT[] := '{}';
  d_charged BIGINT[] := '{}';
  d_reserved BIGINT[] := '{}';
BEGIN
  t_left := '{}';
  r_left := '{}';
  IF NOT g_alone THEN
    PERFORM 1 FROM gateways WHERE id = g_owner FOR KEY SHARE;
    IF NOT FOUND THEN
      RAISE EXCEPTION 'the gateway is not registered' USING ERRCODE = 'TG001';
    END IF;
  END IF;

  -- The lock on an account also covers its calls, claims and sums: nobody writes them without it.
  PERFORM 1 FROM accounts WHERE id = ANY (o_account) ORDER BY id FOR NO KEY UPDATE;
  PERFORM 1 FROM keys WHERE id = ANY (ARRAY(SELECT COALESCE(k.purse, k.id) FROM keys k WHERE k.id = ANY (o_key)))
    ORDER BY id FOR NO KEY UPDATE;

  -- Accounts whose commands are left: a row is missing, or a quota's period begins, or a command is older than it.
  SELECT COALESCE(ARRAY_AGG(o.account), '{}') INTO closed
  FROM unnest(o_account, o_key, o_first, o_day, o_month) AS o (account, key, first, day, month)
  LEFT JOIN accounts a ON a.id = o.account
  LEFT JOIN keys k ON k.id = o.key
  LEFT JOIN keys p ON p.id = COALESCE(k.purse, k.id)
  WHERE a.id IS NULL OR (o.key <> '' AND p.id IS NULL) OR p.quota_from > o.first
    OR p.quota_from < CASE p.quota_period WHEN 'month' THEN o.month ELSE o.day END;

  IF cardinality(t_call) > 0 THEN
    WITH ended AS (
      -- Not c.state = 'open': only the primary key may find the row.
      UPDATE calls c SET state = t.state, cap = t.cap, ended_at = t.now, status = t.status, value = t.value,
        charged = t.charged, charged_nano = t.charged_nano, loss = t.loss, loss_nano = t.loss_nano, failed = t.failed,
        quota_at = NULL, cost_state = t.cost_state, evidence = t.evidence, input_tokens = t.input,
        output_tokens = t.output, cache_read_tokens = t.cache_read, cache_write_tokens = t.cache_write,
        upstream = COALESCE(t.upstream, c.upstream), tried = COALESCE(t.tried, c.tried)
      FROM unnest(t_call, t_account, t_key, t_reserved, t_state, t_cap, t_now, t_status, t_value, t_charged,
        t_charged_nano, t_loss, t_loss_nano, t_failed, t_cost_state, t_evidence, t_input, t_output, t_cache_read,
        t_cache_write, t_upstream, t_tried) WITH ORDINALITY AS t (call, account, key, reserved, state, cap, now, status,
        value, charged, charged_nano, loss, loss_nano, failed, cost_state, evidence, input, output, cache_read,
        cache_write, upstream, tried, at)
      WHERE c.id = t.call AND c.state IS NOT DISTINCT FROM 'open' AND c.ended_at IS NULL AND t.account <> ALL (closed)
      RETURNING t.at, t.account, t.key, t.reserved, t.state, t.now, t.value, t.charged, t.failed, t.input, t.output,
        t.cache_read, t.cache_write, c.operation, COALESCE(c.model, '') AS model, c.tags
    ),
    counted AS (
      INSERT INTO usage_deltas (account, key, at, operation, model, tags, requests, failed_requests, input_tokens,
        output_tokens, cache_read_tokens, cache_write_tokens, value, charged)
      SELECT e.account, e.key, e.now, e.operation, e.model, e.tags, 1, e.failed, e.input, e.output, e.cache_read,
        e.cache_write, e.value, e.charged
      FROM ended e WHERE e.state <> 'refused'
    )
    SELECT (SELECT COALESCE(ARRAY_AGG(at::INT), '{}') FROM ended), COALESCE(ARRAY_AGG(d.account), '{}'),
      COALESCE(ARRAY_AGG(d.key), '{}'), COALESCE(ARRAY_AGG(d.charged), '{}'), COALESCE(ARRAY_AGG(d.reserved), '{}')
    INTO done, d_account, d_key, d_charged, d_reserved
    FROM (SELECT account, key, SUM(charged)::BIGINT AS charged, -SUM(reserved)::BIGINT AS reserved
      FROM ended WHERE state <> 'unknown' GROUP BY account, key) d;

    IF cardinality(done) < cardinality(t_call) THEN
      SELECT ARRAY_AGG(t.at), closed || ARRAY_AGG(t.account) INTO t_left, closed
      FROM unnest(t_account) WITH ORDINALITY AS t (account, at) WHERE t.at <> ALL (done);
    END IF;
    IF cardinality(a_at) > 0 THEN
      INSERT INTO answers (call, status, content_type, body)
      SELECT a.call, a.status, a.content_type, substring(a_bodies FROM a.first FOR a.length)
      FROM unnest(a_at, a_call, a_status, a_content_type, a_from, a_length) AS a (at, call, status, content_type, first, length)
      WHERE a.at <> ALL (t_left);
    END IF;
  END IF;

  IF cardinality(r_call) > 0 THEN
    -- All reservations of an account are granted, or all are left: then their order does not matter.
    SELECT closed || COALESCE(ARRAY_AGG(w.account), '{}') INTO closed
    FROM (
      SELECT o.account, a.balance - SUM(o.charged) OVER of_account AS balance,
        a.reserved + SUM(o.reserved) OVER of_account AS reserved, BOOL_OR(o.paid) OVER of_account AS paid,
        p.id AS root, p.budget, p.quota, SUM(o.charged) OVER of_key AS charged, p.spent, p.quota_spent,
        p.reserved + SUM(o.reserved) OVER of_key AS key_reserved, BOOL_OR(o.paid) OVER of_key AS key_paid
      FROM unnest(o_account, o_key, o_reserved, o_charged, o_paid) AS o (account, key, reserved, charged, paid)
      JOIN accounts a ON a.id = o.account
      LEFT JOIN keys k ON k.id = o.key
      LEFT JOIN keys p ON p.id = COALESCE(k.purse, k.id)
      WINDOW of_account AS (PARTITION BY o.account), of_key AS (PARTITION BY p.id)
    ) w
    WHERE (w.paid AND (w.balance <= 0 OR w.reserved > w.balance))
      OR (w.root IS NOT NULL AND w.key_paid AND (
        w.quota_spent + w.charged >= w.quota OR w.quota_spent + w.charged + w.key_reserved > w.quota
        OR w.spent + w.charged >= w.budget OR w.spent + w.charged + w.key_reserved > w.budget));

    IF cardinality(c_id) > 0 THEN
      claimed := ARRAY(SELECT id FROM idempotency WHERE id = ANY (c_id) ORDER BY id FOR NO KEY UPDATE);
    END IF;

    WITH granted AS (
      SELECT r.* FROM unnest(r_call, r_account, r_key, r_operation, r_model, r_tags, r_amount, r_cap, r_created_at, r_claim)
        WITH ORDINALITY AS r (call, account, key, operation, model, tags, amount, cap, created_at, claim, at)
      WHERE r.account <> ALL (closed) AND (r.claim IS NULL OR r.claim <> ALL (claimed))
    ), opened AS (
      INSERT INTO calls (id, state, cap, account, key, operation, reserved, created_at, owner, model, tags)
      SELECT call, 'open', cap, account, key, operation, amount, created_at, g_owner, model, tags FROM granted
    )
    SELECT (SELECT COALESCE(ARRAY_AGG(at::INT), '{}') FROM granted), d_account || COALESCE(ARRAY_AGG(g.account), '{}'),
      d_key || COALESCE(ARRAY_AGG(g.key), '{}'), d_charged || COALESCE(ARRAY_AGG(0::BIGINT), '{}'),
      d_reserved || COALESCE(ARRAY_AGG(g.amount), '{}')
    INTO done, d_account, d_key, d_charged, d_reserved
    FROM (SELECT account, key, SUM(amount)::BIGINT AS amount FROM granted GROUP BY account, key) g;

    IF cardinality(done) < cardinality(r_call) THEN
      r_left := ARRAY(SELECT at::INT FROM generate_series(1, cardinality(r_call)) AS g (at) WHERE at <> ALL (done));
    END IF;
    IF cardinality(c_id) > 0 THEN
      INSERT INTO idempotency (id, payload, call, ends_at)
      SELECT c.id, c.payload, c.call, c.ends_at
      FROM unnest(c_at, c_id, c_payload, c_call, c_ends_at) AS c (at, id, payload, call, ends_at)
      WHERE c.at <> ALL (r_left);
    END IF;
  END IF;

  UPDATE accounts a SET balance = a.balance - d.charged, reserved = a.reserved + d.reserved
  FROM (SELECT u.account, SUM(u.charged) AS charged, SUM(u.reserved) AS reserved
    FROM unnest(d_account, d_charged, d_reserved) AS u (account, charged, reserved) GROUP BY u.account) d
  WHERE a.id = d.account;
  UPDATE keys p SET spent = p.spent + d.charged, reserved = p.reserved + d.reserved, quota_spent = p.quota_spent + d.charged
  FROM (SELECT COALESCE(k.purse, k.id) AS root, SUM(u.charged) AS charged, SUM(u.reserved) AS reserved
    FROM unnest(d_key, d_charged, d_reserved) AS u (key, charged, reserved) JOIN keys k ON k.id = u.key GROUP BY 1) d
  WHERE p.id = d.root;
END`

// Commits a group of the ledger's commands in one round trip. It decides what is ordinary, and returns by position what it
// has left untouched for the rules in TypeScript.
export const commitGroup = Effect.gen(function* () {
  const sql = yield* SqlClient
  yield* sql.onDialectOrElse({
    pg: () =>
      sql.unsafe(
        `CREATE FUNCTION commit_group (${parameters}, OUT t_left INT[], OUT r_left INT[]) LANGUAGE plpgsql${settings} AS $$${body}$$`
      ),
    orElse: () => Effect.void
  })
})
