import { type Allowance, allowances } from "@tollgate/contract/Tier"
import type { Incoming } from "@tollgate/contract/carrier/Carrier"
import { decode } from "@tollgate/contract/errors/decode"
import type { Bound } from "@tollgate/contract/Operation"
import * as RateLimits from "@tollgate/contract/RateLimits"
import * as Utf8 from "@tollgate/contract/Utf8"
import { type Bucket, unlimited } from "./Bucket.ts"
import type { RateLimiter } from "./RateLimiter.ts"
import type { Permit } from "./Permit.ts"

/** The tier with these limits, if there is one. */
const tierOf = (rpm: number | undefined, tpm: number): Allowance | undefined =>
  Object.values(allowances).find((allowance) => allowance.tpm === tpm && (rpm ?? allowance.rpm) === allowance.rpm)

const longestBlockMillis = 3_600_000

/** Updates the limits from an answer. */
export const learn = (
  limiter: RateLimiter,
  permit: Permit,
  { names }: Bound,
  { body, headers, status }: Incoming
): void => {
  const { answeredBefore, claim, group, sentAt } = permit
  const { now, concurrency, requests, tokens } = limiter
  const said = RateLimits.decode(headers)
  const teach = (bucket: Bucket, limit: number, remaining?: number, reset?: number, mine = 0, answered = 0) => {
    // The reset is relative to the gateway's clock; without its `Date` the reset is ignored.
    const date = reset === undefined ? NaN : Date.parse(headers["date"] ?? "")
    const resetMillis = reset === undefined || Number.isNaN(date) ? undefined : reset * 1_000 - date
    // A request for more than a minute's limit is counted in full only as it is used.
    const uncounted = bucket.taken - answered - Math.min(mine, limit)
    bucket.learn({ limit, remaining, resetMillis, sentAt, uncounted }, now)
  }
  const { limitRequests = 0, limitTokens = 0 } = said
  if (limitRequests > 0) {
    const { rpm } = claim.group
    // Headers report the key's requests or the group's, whichever has less left, without saying which.
    const isOfKey = rpm === undefined || (rpm === "upstream" ? limitRequests >= requests.limit : limitRequests !== rpm)
    teach(
      isOfKey ? requests : group,
      limitRequests,
      said.remainingRequests,
      said.resetRequests,
      1,
      answeredBefore[isOfKey ? 0 : 1]
    )
    // The headers show a group's limit instead of the key's; the tokens alone then tell the tier.
    const tier = tierOf(isOfKey ? limitRequests : undefined, limitTokens)
    if (isOfKey || concurrency.reported === unlimited) concurrency.reported = tier?.concurrency ?? unlimited
    if (requests.reported === unlimited) requests.reported = tier?.rpm ?? unlimited
  }
  if (limitTokens > 0)
    teach(tokens, limitTokens, said.remainingTokens, said.resetTokens, claim.tokens, answeredBefore[2])
  // What the first answer does not report is not limited. A server error without limits may come from a proxy.
  if (limitRequests > 0 || limitTokens > 0 || status < 500)
    requests.guess = tokens.guess = concurrency.guess = unlimited
  if (status !== 429 || !(body instanceof Uint8Array)) return
  const { code, retryAfter = 0 } = decode({ status, headers, body: Utf8.decode(body) }, names, now)
  // Others, as an upstream's limit, concern this call only, and its retry waits for them.
  if (code === "rate_limit_exceeded")
    group.blockedUntil = Math.max(group.blockedUntil, now + Math.min(retryAfter, longestBlockMillis))
}
