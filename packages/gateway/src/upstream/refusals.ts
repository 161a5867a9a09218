import { codes } from "@tollgate/contract/errors/codes"
import * as RetryAfter from "@tollgate/contract/RetryAfter"
import type { Decoded } from "../exchange/Exchange.ts"
import type { Bucket } from "../limits/Bucket.ts"
import { refuse, type Refused } from "@tollgate/contract/errors/Refused"
import type { NotCarried } from "@tollgate/contract/carrier/Carrier"
import type { Provider } from "./Provider.ts"

export const unrouted = ({ model, operation }: Decoded): Refused =>
  refuse(
    "upstream_misconfigured",
    model === undefined
      ? `No upstream is configured for ${operation.id}; the operator has to add one.`
      : `No upstream is configured for ${operation.id} with the model ${JSON.stringify(model.slice(0, 100))}; the operator has to add one.`
  )

/** An upstream's 401 or 403 concerns the gateway's credential, so the caller does not get that status. */
export const gatewayCredentialRejected = (): Refused =>
  refuse("upstream_misconfigured", "The upstream refused this gateway's own credential; the operator has to fix it.")

export const linkedTokenRejected = (): Refused =>
  refuse(
    "missing_scope",
    "The platform rejected the linked session; call again, and link the account again if that fails too."
  )

/** The target may be inside the operator's network, so it is neither followed nor shown. */
export const redirectNotFollowed = (): Refused =>
  refuse(
    "upstream_misconfigured",
    "The upstream answers with a redirect, which is not followed; the operator has to correct its address."
  )

export const upstreamLimit = (retryAfter: string | undefined, now: number): Refused =>
  refuse("upstream_rate_limit", "The upstream's own rate limit is reached.", {
    retryAfter: RetryAfter.parse(retryAfter, now) ?? 1_000
  })

export const quotaReached = ({ limit }: Bucket, retryAfter: number): Refused =>
  refuse(
    "upstream_rate_limit",
    `The upstream's quota of ${limit} requests per minute is reached; nothing was executed.`,
    { retryAfter }
  )

export const connectionsBusy = (): Refused =>
  refuse("upstream_unreachable", "All connections to the upstream are busy; nothing was executed.", {
    status: 503,
    retryAfter: 1_000
  })

export const circuitOpen = (retryAfter: number): Refused =>
  refuse("upstream_unreachable", "The upstream keeps failing and is paused; nothing was executed.", {
    status: 503,
    retryAfter
  })

const statusOf = ({ upstream }: Decoded["operation"]) => (upstream === "managed" ? 503 : 502)

/** A stream began with an error, so nothing ran. */
export const failedAtOnce = ({ operation }: Decoded): Refused =>
  refuse("upstream_unreachable", "The upstream failed before it answered anything; nothing was executed.", {
    status: statusOf(operation)
  })

/** Only if no fallback reads more, and one of them failed otherwise. */
export const tooLong = (): Refused =>
  refuse("invalid_request", "The prompt is longer than the model can read; nothing was executed.")

export const notCarried = (
  { answered = "The connection to the upstream broke", why }: NotCarried,
  { operation }: Decoded,
  { answerBytes }: Provider
): Refused => {
  const status = statusOf(operation)
  if (why === "not sent") {
    return refuse("upstream_unreachable", "The upstream could not be reached; nothing was executed.", { status })
  }
  const what = {
    broken: answered,
    "too large": `The upstream's answer is longer than the ${answerBytes} bytes that this gateway accepts`,
    timeout: "The upstream did not answer in time"
  }[why]
  const code = why === "timeout" ? "upstream_timeout" : "upstream_failed"
  return refuse(code, `${what}; whether the call was executed is not known.`, { status })
}

// A caller can wait for a limit and retry a connection, but cannot fix a configuration.
const rank = ({ refusal }: Refused): number =>
  codes[refusal.code].status === 429 ? 0 : refusal.code === "upstream_unreachable" ? 1 : 2

/** Of two upstreams' refusals, the one that helps the caller more: retryable first, then the shorter wait. */
export const moreHelpful = (one: Refused, other: Refused): Refused => {
  const order = rank(one) - rank(other)
  if (order !== 0) return order < 0 ? one : other
  return (one.refusal.retryAfter ?? Infinity) < (other.refusal.retryAfter ?? Infinity) ? one : other
}
