/**
 * Carries out many commands in one round trip, with the arithmetic of `Bucket.ts`. Keys are locked in their order, and the
 * time is read after that: so it never goes back between two who use the same key. A command has nine numbers:
 * what it is, its key, its group (0: none), the limits of the key, of its tokens and of the group, whether it takes a
 * request, tokens, and the most leases. Plans are fixed to the indexes: one made while a table is empty would scan it.
 */
export const limitFunction = `
CREATE FUNCTION tollgate_limits(
  p_now BIGINT, p_gateway TEXT, p_keys TEXT[], p_group_keys TEXT[], p_group_ids TEXT[],
  p_commands BIGINT[], p_leases TEXT[], OUT v_now BIGINT, OUT answers BIGINT[]
) LANGUAGE plpgsql SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off SET jit = off AS $$
DECLARE
  v_keys TEXT[];
  r_limit BIGINT[]; r_used BIGINT[]; r_at BIGINT[];
  t_limit BIGINT[]; t_used BIGINT[]; t_at BIGINT[];
  g_limit BIGINT[]; g_used BIGINT[]; g_at BIGINT[];
  running BIGINT[];
  ended BIGINT[];
  new_keys TEXT[] := '{}'; new_leases TEXT[] := '{}';
  has_leases BOOLEAN := false; has_ends BOOLEAN := false;
  n INT := coalesce(array_length(p_commands, 1), 0) / 9;
  i INT; c INT; a INT; op BIGINT; k INT; g INT;
  rpm BIGINT; tpm BIGINT; grpm BIGINT; tokens BIGINT; most BIGINT;
  u BIGINT; ok BOOLEAN;
BEGIN
  v_now := p_now;
  IF n = 0 THEN
    answers := '{}';
    RETURN;
  END IF;

  LOOP
    INSERT INTO limit_keys
      SELECT w.key, 0, 0, -1, 0, 0, -1 FROM unnest(p_keys) w(key)
      WHERE NOT EXISTS (SELECT FROM limit_keys l WHERE l.key = w.key) ORDER BY w.key
      ON CONFLICT DO NOTHING;
    SELECT array_agg(s.key), array_agg(s.rpm), array_agg(s.requests_used), array_agg(s.requests_at),
        array_agg(s.tpm), array_agg(s.tokens_used), array_agg(s.tokens_at)
      INTO v_keys, r_limit, r_used, r_at, t_limit, t_used, t_at
      FROM (SELECT * FROM limit_keys l WHERE l.key = ANY (p_keys) ORDER BY l.key FOR NO KEY UPDATE) s;
    EXIT WHEN v_keys = p_keys;
  END LOOP;
  IF v_now IS NULL THEN v_now := floor(extract(epoch FROM clock_timestamp()) * 1000); END IF;

  IF array_length(p_group_keys, 1) > 0 THEN
    SELECT array_agg(coalesce(s.rpm, 0) ORDER BY w.n), array_agg(coalesce(s.used, 0) ORDER BY w.n),
        array_agg(coalesce(s.at, -1) ORDER BY w.n)
      INTO g_limit, g_used, g_at
      FROM unnest(p_group_keys, p_group_ids) WITH ORDINALITY w(key, id, n)
      LEFT JOIN limit_groups s ON s.key = w.key AND s.id = w.id;
  END IF;

  FOR i IN 1..n LOOP
    c := (i - 1) * 9;
    IF p_commands[c + 1] <> 0 THEN
      has_ends := has_ends OR p_leases[i] <> '';
    ELSIF p_commands[c + 9] <> -1 THEN
      has_leases := true;
    END IF;
  END LOOP;

  IF has_ends THEN
    WITH gone AS (
      DELETE FROM limit_leases l
        USING (
          SELECT w.n, p_keys[p_commands[(w.n - 1) * 9 + 2]] AS key, w.id
          FROM unnest(p_leases) WITH ORDINALITY w(id, n)
          WHERE w.id <> '' AND p_commands[(w.n - 1) * 9 + 1] <> 0
        ) e
        WHERE l.key = e.key AND l.id = e.id
        RETURNING e.n
    ) SELECT array_agg(gone.n) INTO ended FROM gone;
  END IF;
  IF has_leases THEN
    SELECT array_agg((
        SELECT count(*) FROM limit_leases l
        WHERE l.key = w.key AND l.expires_at > v_now AND EXISTS (SELECT FROM gateways y WHERE y.id = l.gateway)
      ) ORDER BY w.n)
      INTO running FROM unnest(p_keys) WITH ORDINALITY w(key, n);
  END IF;

  answers := array_fill(0::BIGINT, ARRAY[n * 5]);
  FOR i IN 1..n LOOP
    c := (i - 1) * 9;
    op := p_commands[c + 1];
    k := p_commands[c + 2];
    rpm := p_commands[c + 4];
    tpm := p_commands[c + 5];
    tokens := p_commands[c + 8];
    -- A new key.
    IF r_at[k] < 0 THEN
      r_limit[k] := rpm; r_at[k] := v_now;
      t_limit[k] := tpm; t_at[k] := v_now;
    END IF;
    a := (i - 1) * 5;

    IF op = 1 OR op = 2 THEN
      IF op = 2 AND (p_leases[i] = '' OR i = ANY (ended)) THEN
        u := t_limit[k] * 60;
        t_used[k] := greatest(0, t_used[k] - t_limit[k] * least(greatest(0, v_now - t_at[k]), 3600000));
        t_used[k] := least(greatest(0, t_used[k] + greatest(-u, least(tokens, u)) * 60000), u * 60000);
        t_at[k] := v_now;
      END IF;
      CONTINUE;
    END IF;

    u := greatest(0, r_used[k] - r_limit[k] * least(greatest(0, v_now - r_at[k]), 3600000));
    IF rpm < r_limit[k] THEN u := least(u, rpm * 60000); END IF;
    r_used[k] := u; r_limit[k] := rpm; r_at[k] := v_now;
    u := greatest(0, t_used[k] - t_limit[k] * least(greatest(0, v_now - t_at[k]), 3600000));
    IF tpm < t_limit[k] THEN u := least(u, tpm * 60000); END IF;
    t_used[k] := u; t_limit[k] := tpm; t_at[k] := v_now;
    ok := true;
    answers[a + 2] := r_used[k];
    answers[a + 3] := t_used[k];

    g := p_commands[c + 3];
    IF g > 0 THEN
      grpm := p_commands[c + 6];
      IF g_at[g] < 0 THEN g_limit[g] := grpm; g_at[g] := v_now; END IF;
      u := greatest(0, g_used[g] - g_limit[g] * least(greatest(0, v_now - g_at[g]), 3600000));
      IF grpm < g_limit[g] THEN u := least(u, grpm * 60000); END IF;
      g_used[g] := u; g_limit[g] := grpm; g_at[g] := v_now;
      answers[a + 4] := u;
      IF p_commands[c + 7] = 1 THEN ok := grpm > 0 AND u + (1 - grpm) * 60000 <= 0; END IF;
    END IF;
    IF p_commands[c + 7] = 1 THEN ok := ok AND rpm > 0 AND r_used[k] + (1 - rpm) * 60000 <= 0; END IF;
    IF tokens >= 0 THEN
      tokens := least(tokens, tpm);
      ok := ok AND tpm > 0 AND t_used[k] + (tokens - tpm) * 60000 <= 0;
    END IF;
    most := p_commands[c + 9];
    IF most <> -1 THEN
      answers[a + 5] := running[k];
      IF most >= 0 THEN ok := ok AND running[k] < most; END IF;
    END IF;

    IF ok THEN
      answers[a + 1] := 1;
      IF p_commands[c + 7] = 1 THEN
        r_used[k] := r_used[k] + 60000;
        IF g > 0 THEN g_used[g] := g_used[g] + 60000; END IF;
      END IF;
      IF tokens >= 0 THEN t_used[k] := t_used[k] + tokens * 60000; END IF;
      IF most >= 0 THEN
        running[k] := running[k] + 1;
        new_keys := array_append(new_keys, p_keys[k]);
        new_leases := array_append(new_leases, p_leases[i]);
      END IF;
    END IF;
  END LOOP;

  UPDATE limit_keys l SET rpm = w.rpm, requests_used = w.requests_used, requests_at = w.requests_at,
      tpm = w.tpm, tokens_used = w.tokens_used, tokens_at = w.tokens_at
    FROM unnest(p_keys, r_limit, r_used, r_at, t_limit, t_used, t_at)
      w(key, rpm, requests_used, requests_at, tpm, tokens_used, tokens_at)
    WHERE l.key = w.key;
  IF array_length(p_group_keys, 1) > 0 THEN
    INSERT INTO limit_groups SELECT * FROM unnest(p_group_keys, p_group_ids, g_limit, g_used, g_at)
      ON CONFLICT (key, id) DO UPDATE SET rpm = excluded.rpm, used = excluded.used, at = excluded.at;
  END IF;
  IF array_length(new_keys, 1) > 0 THEN
    INSERT INTO limit_leases
      SELECT w.key, w.id, p_gateway, v_now + 900000 FROM unnest(new_keys, new_leases) w(key, id)
      ON CONFLICT DO NOTHING;
  END IF;
END $$`
