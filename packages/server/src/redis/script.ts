import { createHash } from "node:crypto"

/** A field that has no number. */
export const none = "-1"
/** In place of the most leases: they are only counted. */
export const countOnly = "-2"

/** Ended leases stay for a while, so that a late end finds them. */
const keptMillis = 3_600_000

/**
 * Carries out one command, with the arithmetic of the gateway's `Bucket.ts`. KEYS: the buckets of a caller, and its leases,
 * by the time at which they end. ARGV: what it is, the time (empty: that of Redis), the limits of the caller and of its
 * tokens, the group, its limit, whether a request is taken, tokens, the most leases, the lease, how long one lives.
 * A bucket is its limit, what is used, and when. Redis keeps numbers below 2^53 exact; the gateway sends no larger limits.
 */
const text = `
local op, rpm, tpm, group, grpm = ARGV[1], tonumber(ARGV[3]), tonumber(ARGV[4]), ARGV[5], tonumber(ARGV[6])
local request, tokens, most, lease = ARGV[7] == '1', tonumber(ARGV[8]), tonumber(ARGV[9]), ARGV[10]
local now = tonumber(ARGV[2])
if not now then
  local time = redis.call('TIME')
  now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
end

local function read(stored, limit)
  if not stored then return { limit, 0, now } end
  local l, u, a = string.match(stored, '(%d+) (%d+) (%d+)')
  return { tonumber(l), tonumber(u), tonumber(a) }
end
local function refill(b, limit)
  b[2] = math.max(0, b[2] - b[1] * math.min(math.max(0, now - b[3]), 3600000))
  if limit < b[1] then b[2] = math.min(b[2], limit * 60000) end
  b[1], b[3] = limit, now
end
local function has(b, units)
  return b[1] > 0 and b[2] + (math.min(units, b[1]) - b[1]) * 60000 <= 0
end
local function write(b)
  return string.format('%.0f %.0f %.0f', b[1], b[2], b[3])
end
local function lasts(b)
  return b[1] > 0 and math.ceil(b[2] / b[1]) or 0
end

local stored = redis.call('HMGET', KEYS[1], 'r', 't', 'g:' .. group)
local t = read(stored[2], tpm)

if op == 'end' then
  if lease ~= '' and redis.call('ZREM', KEYS[2], lease) == 0 then return { now } end
  if ARGV[8] == '' then return { now } end
  local most = t[1] * 60
  refill(t, t[1])
  t[2] = math.min(math.max(0, t[2] + math.max(-most, math.min(tokens, most)) * 60000), most * 60000)
  local r = read(stored[1], rpm)
  redis.call('HSET', KEYS[1], 't', write(t), 'r', write(r))
  redis.call('PEXPIRE', KEYS[1], 120000 + math.max(lasts(r), lasts(t)))
  return { now }
end

local r = read(stored[1], rpm)
local g = read(stored[3], grpm)
local function keep()
  redis.call('HSET', KEYS[1], 'r', write(r), 't', write(t))
  if group ~= '' then redis.call('HSET', KEYS[1], 'g:' .. group, write(g)) end
  redis.call('PEXPIRE', KEYS[1], 120000 + math.max(lasts(r), lasts(t), lasts(g)))
end

refill(r, rpm)
refill(t, tpm)
refill(g, grpm)
local running = 0
if most ~= ${none} then running = redis.call('ZCOUNT', KEYS[2], string.format('(%.0f', now), '+inf') end
local ok = (not request or (has(r, 1) and (group == '' or has(g, 1))))
  and (tokens < 0 or has(t, tokens)) and (most < 0 or running < most)
local answer = { now, ok and 1 or 0, r[2], t[2], g[2], running }
if ok then
  if request then
    r[2] = r[2] + 60000
    g[2] = g[2] + 60000
  end
  if tokens >= 0 then t[2] = t[2] + math.min(tokens, tpm) * 60000 end
  if most >= 0 then
    redis.call('ZADD', KEYS[2], string.format('%.0f', now + tonumber(ARGV[11])), lease)
    redis.call('PEXPIRE', KEYS[2], ${keptMillis} + tonumber(ARGV[11]))
  end
end
keep()
return answer
`

/**
 * Leases that this gateway still holds live on. KEYS: the leases of a caller. ARGV: the time (empty: that of Redis), how
 * long, then each lease and when it ends at the latest.
 */
const renewText = `
local now = tonumber(ARGV[1])
if not now then
  local time = redis.call('TIME')
  now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
end
local lasts = tonumber(ARGV[2])
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', string.format('%.0f', now - ${keptMillis}))
for i = 3, #ARGV, 2 do
  redis.call('ZADD', KEYS[1], string.format('%.0f', math.min(now + lasts, tonumber(ARGV[i + 1]))), ARGV[i])
end
redis.call('PEXPIRE', KEYS[1], ${keptMillis} + lasts)
return 1
`

export interface Script {
  readonly text: string
  readonly sha: string
}

const script = (text: string): Script => ({ text, sha: createHash("sha1").update(text).digest("hex") })

export const commandScript: Script = script(text)
export const renewScript: Script = script(renewText)
