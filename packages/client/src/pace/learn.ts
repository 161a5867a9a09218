import type { Incoming } from "@tollgate/contract/carrier/Carrier"
import { decode } from "@tollgate/contract/errors/decode"
import type { Bound } from "@tollgate/contract/Operation"
import * as RateLimits from "@tollgate/contract/RateLimits"
import * as Utf8 from "@tollgate/contract/Utf8"
import type { Bucket } from "./Bucket.ts"
import { unlimited } from "./Limit.ts"
import type { Pace } from "./Pace.ts"
import { tierOf } from "./Pacing.ts"
import type { Turn } from "./Turn.ts"

const longestBlockMillis = 3_600_000

/** Headers tell of the key's requests or of the group's, whichever are nearer to their end. They do not say which. */
const requestsOf = ({ requests }: Pace, { claim, group }: Turn, limit: number): Bucket => {
  const { rpm } = claim.group
  const isOfKey = rpm === undefined || (rpm === "upstream" ? limit >= requests.told : limit !== rpm)
  return isOfKey ? requests : group
}

/** What the answer tells of the limits, if it does. */
export const learn = (pace: Pace, turn: Turn, { names }: Bound, { body, headers, status }: Incoming): void => {
  const { before, claim, group, left } = turn
  const { now, places, requests, tokens } = pace
  const said = RateLimits.decode(headers)
  const teach = (bucket: Bucket, limit: number, remaining?: number, reset?: number, mine = 0, answered = 0) => {
    // By the gateway's own clock, or not at all.
    const date = reset === undefined ? NaN : Date.parse(headers["date"] ?? "")
    const resetMillis = reset === undefined || Number.isNaN(date) ? undefined : reset * 1_000 - date
    // Of a request for more than a minute's worth, the rest is counted when it is used.
    const uncounted = bucket.taken - answered - Math.min(mine, limit)
    bucket.learn({ limit, remaining, resetMillis, left, uncounted }, now)
  }
  const { limitRequests = 0, limitTokens = 0 } = said
  if (limitRequests > 0) {
    const bucket = requestsOf(pace, turn, limitRequests)
    const isOfKey = bucket === requests
    teach(bucket, limitRequests, said.remainingRequests, said.resetRequests, 1, before[isOfKey ? 0 : 1])
    if (isOfKey) places.told = tierOf(limitRequests, limitTokens)?.concurrency ?? unlimited
  }
  if (limitTokens > 0) teach(tokens, limitTokens, said.remainingTokens, said.resetTokens, claim.tokens, before[2])
  if (status !== 429 || !(body instanceof Uint8Array)) return
  const { code, retryAfter = 0 } = decode({ status, headers, body: Utf8.decode(body) }, names, now)
  // A quota is of money, and may be raised.
  if (code !== "quota_exceeded") group.until = Math.max(group.until, now + Math.min(retryAfter, longestBlockMillis))
}
