import * as RateLimits from "@tollgate/contract/RateLimits"
import { refuse, type Refused } from "@tollgate/contract/errors/Refused"
import type { Exceeded } from "./KeyLimits.ts"

export const refusal = ({ kind = "requests", limit, wait }: Exceeded, headers: RateLimits.RateLimits): Refused =>
  refuse(
    "rate_limit_exceeded",
    `The key's limit of ${limit} is reached; ${wait === Infinity ? "the operator can raise it" : "slow down"}.`,
    {
      headers: RateLimits.encode(headers),
      limit: kind,
      ...(wait === Infinity ? {} : { retryAfter: wait })
    }
  )
