import { endedColumns, openedColumns } from "../../ledger/callColumns.ts"
import { declared } from "./parameters.ts"

// The function that commits a group of the ledger's commands in one round trip. It decides what is ordinary, and returns by
// position what it has left untouched for the rules in TypeScript; or it raises TG002, and has left everything. TG001: the
// gateway is not registered. A gateway of another version calls its own function, so a change needs another name.

// a: accounts, k: keys, both sorted by id, with the sums of the group's commands. t: ends of calls; s: answers to store.
// r: reservations; c: their claims; d: their attempts, none of which repeats another. g_whole: the sums are those of t and r, because the group has no other commands.

// Plans are made once, perhaps on empty tables. With these settings they use the indexes, so they stay right as tables grow.
const settings = `
  SET plan_cache_mode = force_generic_plan
  SET enable_seqscan = off
  SET enable_hashjoin = off
  SET enable_mergejoin = off
  SET jit = off`

/** Whether nothing, or less than is reserved, is left. NULL is no limit. */
const lacks = (left: string, charged: string, reserved: string) =>
  `(${left} <= ${charged} OR ${left} - ${charged} < ${reserved})`

/** Of a key `p`. `of`: the sums of its commands. */
const conditions = (of: (sum: string) => string) => {
  const reserved = `p.reserved + ${of("reserved")}`
  const lacked = ["p.budget - p.spent", "p.day_budget - p.day_spent", "p.month_budget - p.month_spent"]
    .map((left) => lacks(left, of("charged"), reserved))
    .join(" OR ")
  return {
    /** A day begins, and perhaps a month, or a command is older than it. */
    changesPeriod: `(p.day_from > ${of("first")} OR p.day_from < ${of("day")})`,
    isPoor: `(${of("paid")} AND (${lacked}))`
  }
}

const accountIsPoor = (i: string) =>
  `(a_paid[${i}] AND ${lacks("a.balance", `a_charged[${i}]`, `a.reserved + a_reserved[${i}]`)})`

const onlyKey = conditions((sum) => `k_${sum}[1]`)
const eachKey = conditions((sum) => `k_${sum}[i]`)
const eachRoot = conditions((sum) => `k.${sum}`)

const opened = openedColumns.map(({ name }) => name)

const ended = endedColumns
  .slice(1)
  .map(({ name, stays }) => `${name} = ${stays ? `COALESCE(t_${name}[t.at], c.${name})` : `t_${name}[t.at]`}`)
  .join(", ")

// Elements of arrays are read by position, which costs less than `unnest` with as many arrays. Rows are updated by their
// place, which the lock keeps: a join by id could be planned as a scan of the whole index.
const body = `
DECLARE
  t_count INT := cardinality(t_id);
  r_count INT := cardinality(r_id);
  -- Accounts whose reservations are left.
  closed TEXT[] := '{}';
  poor TEXT[];
  claimed TEXT[] := '{}';
  changes_period BOOLEAN := false;
  t_done INT[] := '{}';
  r_new INT[];
  r_done INT[] := '{}';
  changed INT;
  v_id TEXT[];
  v_root TEXT[];
  a_tid TID[];
  k_tid TID[];
BEGIN
  t_left := '{}';
  r_left := '{}';
  IF NOT g_alone THEN
    PERFORM 1 FROM gateways WHERE id = g_owner FOR KEY SHARE;
    IF NOT FOUND THEN
      RAISE EXCEPTION 'the gateway is not registered' USING ERRCODE = 'TG001';
    END IF;
  END IF;

  -- Calls are written before accounts are locked, so that other gateways wait for less. Every transaction locks calls first and
  -- accounts after them, each in order of id, so none waits for another that waits for it.
  IF t_count > 0 THEN
    WITH ended AS (
      UPDATE calls c SET ${ended}
      FROM (
        SELECT at, (SELECT c.ctid FROM calls c WHERE c.id = t_id[at]) AS tid
        FROM generate_series(1, t_count) AS t (at) OFFSET 0
      ) AS t
      -- Checked again if another transaction has just ended the call. Not as "= 'open'": a plan could then look for each call
      -- among all open ones, instead of by its id.
      WHERE c.ctid = t.tid AND CASE c.state WHEN 'open' THEN true END
      RETURNING t.at, c.account, c.key, c.operation, COALESCE(c.model, '') AS model, c.tags, c.upstream
    ), counted AS (
      INSERT INTO usage_deltas (account, key, at, operation, model, tags, requests, failed_requests, input_tokens,
        output_tokens, cache_read_tokens, cache_write_tokens, value, charged, upstream, cost_nano)
      SELECT e.account, e.key, t_ended_at[at], e.operation, e.model, e.tags, 1, t_failed[at], t_input_tokens[at], t_output_tokens[at],
        t_cache_read_tokens[at], t_cache_write_tokens[at], t_value[at], t_charged[at],
        CASE WHEN t_cost_nano[at] IS NOT NULL THEN COALESCE(e.upstream, '') END, t_cost_nano[at]
      FROM ended e WHERE t_state[at] <> 'refused'
    )
    SELECT COALESCE(ARRAY_AGG(at), '{}') INTO t_done FROM ended;

    IF cardinality(t_done) < t_count THEN
      SELECT ARRAY_AGG(t.at), ARRAY_AGG(t.account) INTO t_left, closed
      FROM unnest(t_account) WITH ORDINALITY AS t (account, at) WHERE t.at <> ALL (t_done);
    END IF;
    IF cardinality(s_at) > 0 THEN
      INSERT INTO answers (call, status, content_type, headers, body)
      SELECT a.call, a.status, a.content_type, a.headers, substring(s_bodies FROM a.first FOR a.length)
      FROM unnest(s_at, s_call, s_status, s_content_type, s_headers, s_from, s_length)
        AS a (at, call, status, content_type, headers, first, length)
      WHERE a.at <> ALL (t_left);
    END IF;
  END IF;
  IF r_count > 0 THEN
    r_new := ARRAY(SELECT generate_series(1, r_count));
    IF cardinality(c_id) > 0 THEN
      r_new := ARRAY(SELECT at FROM unnest(r_new) AS r (at)
        WHERE (SELECT true FROM idempotency WHERE id = r_claim[at]) IS NULL);
    END IF;
    INSERT INTO calls (${opened.join(", ")}, state, owner)
    SELECT ${opened.map((name) => `r_${name}[at]`).join(", ")}, 'open', g_owner
    FROM unnest(r_new) AS r (at);
    IF cardinality(d_at) > 0 THEN
      INSERT INTO attempts (digest, attempt, call, ends_at)
      SELECT d_digest[i], d_count[i], r_id[d_at[i]], d_ends_at[i] FROM generate_series(1, cardinality(d_at)) AS d (i);
    END IF;
  END IF;

  -- One command alone, with less work. What is unusual about it goes on below.
  IF g_whole AND t_count + r_count = 1 AND t_left = '{}' AND cardinality(k_id) = 1 AND cardinality(c_id) = 0 THEN
    UPDATE accounts a SET balance = a.balance - a_charged[1], reserved = a.reserved + a_reserved[1]
    WHERE a.id = a_id[1] AND ${accountIsPoor("1")} IS NOT TRUE;
    IF FOUND THEN
      UPDATE keys p SET spent = p.spent + k_charged[1], reserved = p.reserved + k_reserved[1],
        day_spent = p.day_spent + k_charged[1], month_spent = p.month_spent + k_charged[1]
      WHERE p.id = COALESCE((SELECT k.root_key FROM keys k WHERE k.id = k_id[1]), k_id[1])
        AND NOT ${onlyKey.changesPeriod} AND ${onlyKey.isPoor} IS NOT TRUE;
      IF FOUND THEN
        RETURN;
      END IF;
      UPDATE accounts a SET balance = a.balance + a_charged[1], reserved = a.reserved - a_reserved[1] WHERE a.id = a_id[1];
    END IF;
  END IF;

  SELECT ARRAY_AGG(a.id), ARRAY_AGG(a.ctid), ARRAY_AGG(a.id) FILTER (WHERE ${accountIsPoor("i")})
  INTO v_id, a_tid, poor
  FROM generate_series(1, cardinality(a_id)) AS g (i) CROSS JOIN LATERAL (
    SELECT a.id, a.ctid, a.balance, a.reserved FROM accounts a WHERE a.id = a_id[i] FOR NO KEY UPDATE
  ) a;
  closed := closed || poor;
  IF cardinality(k_id) > 0 AND v_id IS NOT DISTINCT FROM a_id THEN
    SELECT ARRAY_AGG(p.key), ARRAY_AGG(p.id), ARRAY_AGG(p.ctid),
      BOOL_OR(${eachKey.changesPeriod}), ARRAY_AGG(k_account[i]) FILTER (WHERE ${eachKey.isPoor})
    INTO v_id, v_root, k_tid, changes_period, poor
    FROM generate_series(1, cardinality(k_id)) AS g (i) CROSS JOIN LATERAL (
      SELECT k.id AS key, p.ctid, p.* FROM keys k JOIN keys p ON p.id = COALESCE(k.root_key, k.id) WHERE k.id = k_id[i]
      FOR NO KEY UPDATE OF p
    ) p;
    -- Rotated keys share the sums of their root key.
    IF v_root IS DISTINCT FROM k_id THEN
      SELECT ARRAY_AGG(p.ctid), ARRAY_AGG(k.reserved), ARRAY_AGG(k.charged),
        BOOL_OR(${eachRoot.changesPeriod}), ARRAY_AGG(k.account) FILTER (WHERE ${eachRoot.isPoor})
      INTO k_tid, k_reserved, k_charged, changes_period, poor
      FROM (
        SELECT v_root[i] AS root, SUM(k_reserved[i])::BIGINT AS reserved, SUM(k_charged[i])::BIGINT AS charged,
          BOOL_OR(k_paid[i]) AS paid, MIN(k_account[i]) AS account, MIN(k_first[i]) AS first, MAX(k_day[i]) AS day
        FROM generate_series(1, cardinality(v_id)) AS g (i) GROUP BY v_root[i]
      ) k JOIN keys p ON p.id = k.root;
    END IF;
    closed := closed || poor;
  END IF;
  -- An account or a key is missing, or a period begins.
  IF changes_period OR v_id IS DISTINCT FROM (CASE WHEN cardinality(k_id) > 0 THEN k_id ELSE a_id END) THEN
    RAISE EXCEPTION 'left to the rules' USING ERRCODE = 'TG002';
  END IF;

  IF r_count > 0 THEN
    -- All reservations of an account are granted, or all are left: then their order does not matter.
    IF cardinality(c_id) > 0 THEN
      claimed := ARRAY(SELECT id FROM idempotency WHERE id = ANY (c_id) ORDER BY id FOR NO KEY UPDATE);
    END IF;
    r_done := r_new;
    IF closed <> '{}' OR claimed <> '{}' THEN
      r_done := ARRAY(SELECT at FROM unnest(r_new) AS r (at)
        WHERE r_account[at] <> ALL (closed) AND (r_claim[at] IS NULL OR r_claim[at] <> ALL (claimed)));
      DELETE FROM calls WHERE id = ANY (ARRAY(SELECT r_id[at] FROM unnest(r_new) AS r (at) WHERE at <> ALL (r_done)));
      IF cardinality(d_at) > 0 THEN
        DELETE FROM attempts WHERE digest = ANY (d_digest)
          AND call = ANY (ARRAY(SELECT r_id[at] FROM unnest(d_at) AS d (at) WHERE at <> ALL (r_done)));
      END IF;
    END IF;
    IF cardinality(r_done) < r_count THEN
      r_left := ARRAY(SELECT at FROM generate_series(1, r_count) AS r (at) WHERE at <> ALL (r_done));
    END IF;
    IF cardinality(c_id) > 0 THEN
      INSERT INTO idempotency (id, payload, call, ends_at)
      SELECT c.id, c.payload, c.call, c.ends_at
      FROM unnest(c_at, c_id, c_payload, c_call, c_ends_at) AS c (at, id, payload, call, ends_at)
      WHERE c.at <> ALL (r_left);
    END IF;
  END IF;

  IF NOT g_whole OR t_left <> '{}' OR r_left <> '{}' THEN
    -- The sums of what was decided.
    WITH decided AS (
      SELECT t_account[at] AS account, t_key[at] AS key, -t_reserved[at] AS reserved, t_charged[at] AS charged
      FROM unnest(t_done) AS t (at)
      UNION ALL
      SELECT r_account[at], r_key[at], r_reserved[at], 0 FROM unnest(r_done) AS r (at)
    ), of_accounts AS (
      SELECT ARRAY_AGG((SELECT a.ctid FROM accounts a WHERE a.id = d.account)) AS tid, ARRAY_AGG(d.reserved) AS reserved, ARRAY_AGG(d.charged) AS charged
      FROM (SELECT account, SUM(d.reserved)::BIGINT AS reserved, SUM(d.charged)::BIGINT AS charged
        FROM decided d GROUP BY account) d
    ), of_keys AS (
      SELECT ARRAY_AGG((SELECT k.ctid FROM keys k WHERE k.id = d.root)) AS tid, ARRAY_AGG(d.reserved) AS reserved, ARRAY_AGG(d.charged) AS charged
      FROM (SELECT COALESCE(k.root_key, k.id) AS root, SUM(d.reserved)::BIGINT AS reserved, SUM(d.charged)::BIGINT AS charged
        FROM decided d JOIN keys k ON k.id = d.key GROUP BY 1) d
    )
    SELECT a.tid, a.reserved, a.charged, k.tid, k.reserved, k.charged
    INTO a_tid, a_reserved, a_charged, k_tid, k_reserved, k_charged FROM of_accounts a, of_keys k;
  END IF;
  UPDATE accounts a SET balance = a.balance - a_charged[i], reserved = a.reserved + a_reserved[i]
  FROM generate_series(1, cardinality(a_tid)) AS g (i) WHERE a.ctid = a_tid[i];
  GET DIAGNOSTICS changed = ROW_COUNT;
  ASSERT changed = COALESCE(cardinality(a_tid), 0), 'an account was not updated';
  UPDATE keys p SET spent = p.spent + k_charged[i], reserved = p.reserved + k_reserved[i],
    day_spent = p.day_spent + k_charged[i], month_spent = p.month_spent + k_charged[i]
  FROM generate_series(1, cardinality(k_tid)) AS g (i) WHERE p.ctid = k_tid[i];
  GET DIAGNOSTICS changed = ROW_COUNT;
  ASSERT changed = COALESCE(cardinality(k_tid), 0), 'a key was not updated';
END`

export const commitCommands = `CREATE FUNCTION commit_commands (
  ${declared.join(", ")},
  OUT t_left INT[], OUT r_left INT[]
) LANGUAGE plpgsql${settings} AS $$${body}$$`
