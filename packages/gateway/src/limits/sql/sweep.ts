export const sweepEveryMillis = 60_000

/** The time that is given, or that of the database. */
const now = "coalesce($1::bigint, floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint)"

/** Leases of gateways that are gone, and those that nobody ended in a day. */
export const sweepLeases = `
  DELETE FROM limit_leases l
  WHERE l.expires_at < ${now} - 86400000 OR NOT EXISTS (SELECT FROM gateways g WHERE g.id = l.gateway)`

const isFull = (limit: string, used: string, at: string): string =>
  `${used} <= ${limit} * least(greatest(0, ${now} - ${at}), 3600000)`

/** Keys without leases that are full again: a new row would behave the same. */
export const sweepKeys = `
  WITH idle AS (
    SELECT key FROM limit_keys k
    WHERE greatest(requests_at, tokens_at) < ${now} - 120000
      AND ${isFull("rpm", "requests_used", "requests_at")}
      AND ${isFull("tpm", "tokens_used", "tokens_at")}
      AND NOT EXISTS (SELECT FROM limit_leases l WHERE l.key = k.key)
    LIMIT 10000
    FOR UPDATE SKIP LOCKED
  ), groups AS (DELETE FROM limit_groups g USING idle WHERE g.key = idle.key)
  DELETE FROM limit_keys k USING idle WHERE k.key = idle.key`
