import type { Incoming } from "@tollgate/contract/carrier/Carrier"
import * as Headers from "@tollgate/contract/Headers"
import type { Bound } from "@tollgate/contract/Operation"
import * as Utf8 from "@tollgate/contract/Utf8"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Stream from "effect/Stream"
import type { Invocation } from "./Invocation.ts"
import type { Written } from "./request.ts"
import { lookMillis } from "../pace/ConcurrencyLimit.ts"
import { PaceExceeded } from "../errors/errors.ts"
import { unlimited, type Bucket } from "../pace/Bucket.ts"
import { RateLimiter } from "../pace/RateLimiter.ts"
import { type Claim, firstLookMillis, isPolled, longestLookMillis, type Permit } from "../pace/Permit.ts"
import { type Allowance, allowances } from "@tollgate/contract/Tier"
import { decode } from "@tollgate/contract/errors/decode"
import * as RateLimits from "@tollgate/contract/RateLimits"

/** The tier with these limits, if there is one. */
const tierOf = (rpm: number | undefined, tpm: number): Allowance | undefined =>
  Object.values(allowances).find((allowance) => allowance.tpm === tpm && (rpm ?? allowance.rpm) === allowance.rpm)

const longestBlockMillis = 3_600_000

/** Updates the limits from an answer. */
const learn = (limiter: RateLimiter, permit: Permit, { names }: Bound, { body, headers, status }: Incoming): void => {
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

/** Unused limiters are dropped after this time; their buckets are full again by then. */
const idleMillis = 600_000

/** By clock: times of different clocks cannot be compared. */
const all = new WeakMap<Clock.Clock, Map<string, RateLimiter>>()

/** A 64-bit digest, so that no credential is kept in memory. */
const digest = (text: string): string => {
  let one = 0x811c9dc5
  let other = 0x9e3779b1
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i)
    one = Math.imul(one ^ unit, 0x01000193)
    other = Math.imul((other << 5) ^ (other >>> 27) ^ unit, 0x85ebca77)
  }
  return `${one >>> 0}.${other >>> 0}`
}

/** The limiter of a credential and address, shared by all clients. */
export const limiterOf = (clock: Clock.Clock, address: string, credential: string): RateLimiter => {
  const limiters = all.get(clock) ?? new Map<string, RateLimiter>()
  const key = `${digest(credential)} ${address}`
  const known = limiters.get(key)
  if (known !== undefined) return known
  const now = clock.currentTimeMillisUnsafe()
  for (const [key, { busy, usedAt }] of limiters) if (busy === 0 && now - usedAt > idleMillis) limiters.delete(key)
  const limiter = new RateLimiter(clock)
  all.set(clock, limiters.set(key, limiter))
  return limiter
}

/** Counts as the gateway does: a quote is one request and uses no tokens. */
const claimOf = (
  { tokens }: RateLimiter,
  { expectedTokens, limit: group, names, price, writeBody }: Bound,
  { body, headers }: Written
): Claim => {
  const isQuote = headers[Headers.costMode.key(names)] !== undefined
  const isCounted = group.tokens && !isQuote && tokens.limit < unlimited
  return {
    group,
    // The body is parsed again only if there is a token limit. A form has no text to count.
    tokens: isCounted
      ? expectedTokens?.(price, body === undefined || writeBody !== undefined ? {} : JSON.parse(Utf8.decode(body)))
      : undefined,
    concurrent: group.concurrency && !isQuote
  }
}

const look = (limiter: RateLimiter, permit: Permit, millis: number): Effect.Effect<void> =>
  Effect.flatMap(Effect.sleep(millis), () =>
    limiter.look(permit) ? Effect.void : look(limiter, permit, Math.min(longestLookMillis, millis * 1.5))
  )

/** Fails if the permit would come too late, or did not come in time. */
const wait = (
  limiter: RateLimiter,
  permit: Permit,
  { id }: Bound,
  patienceMillis: number
): Effect.Effect<void, PaceExceeded> => {
  const exceeded = (retryAfter: number) => {
    const message = `The call has to wait ${retryAfter} ms more for the rate limit, longer than pace.patienceMillis or its timeout`
    return Effect.fail(new PaceExceeded({ operation: id, message, outcome: "not executed", retryAfter }))
  }
  const millis = limiter.wait(permit)
  if (millis > patienceMillis) return exceeded(millis)
  const turned = isPolled
    ? look(limiter, permit, firstLookMillis)
    : Effect.callback<void>((resume) => {
        permit.go = () => resume(Effect.void)
        if (permit.state !== "waiting") permit.go()
      })
  return Effect.timeoutOrElse(turned, {
    duration: patienceMillis,
    orElse: () => exceeded(limiter.wait(permit) || lookMillis)
  })
}

/** Sends the request when the credential's limits allow it. */
export const paced = <E>(
  invocation: Invocation,
  written: Written,
  credential: Redacted.Redacted,
  sent: Effect.Effect<Incoming, E>
): Effect.Effect<Incoming, E | PaceExceeded> => {
  const { client, leftMillis, operation } = invocation
  const { pace: pacing, policy } = client
  // An open operation is not limited by credential.
  if (pacing === false || operation.access === "open") return sent
  return Effect.withFiber((fiber) => {
    const limiter = limiterOf(fiber.getRef(Clock.Clock), client.origin + client.path, Redacted.value(credential))
    limiter.configure(pacing)
    return Effect.uninterruptibleMask((restore) => {
      const permit = limiter.enqueue(claimOf(limiter, operation, written), fiber.context)
      const patience = Math.min(pacing.patienceMillis ?? policy.patienceMillis, leftMillis())
      const going = permit.state === "waiting" ? Effect.andThen(wait(limiter, permit, operation, patience), sent) : sent
      return Effect.matchCauseEffect(restore(going), {
        onFailure: (cause) => {
          limiter.end(permit, false)
          return Effect.failCause(cause)
        },
        onSuccess: (incoming) => {
          limiter.answered(permit)
          learn(limiter, permit, operation, incoming)
          const { body } = incoming
          if (body instanceof Uint8Array) {
            limiter.end(permit, true)
            return Effect.succeed(incoming)
          }
          limiter.dispatch()
          const end = (whole: boolean) => Effect.sync(() => limiter.end(permit, whole))
          const ending = Stream.ensuring(Stream.onEnd(body, end(true)), end(false))
          invocation.unread = ending
          return Effect.succeed({ ...incoming, body: ending })
        }
      })
    })
  })
}
