import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { Principal } from "@tollgate/ledger/credential/Keys"
import type { Priced } from "../../exchange/Exchange.ts"
import { Fleet } from "@tollgate/ledger/fleet/Fleet"
import { refuse, type Refused } from "@tollgate/contract/errors/Refused"
import { type Admission, refusal } from "../Admission.ts"
import { type Demand, KeyLimits, limitedAs, type RateLimitState, requestOnly, tokensOf } from "../KeyLimits.ts"
import { makeCounts } from "../memory.ts"
import { countable, countableTokens, LimitStore } from "./Command.ts"
import type { Answer, GroupState, Rates, Take } from "./Command.ts"
import * as Reach from "./Reach.ts"
import { Bucket } from "../Bucket.ts"
import * as Context from "effect/Context"

/**
 * What a gateway does while the store of the limits is gone. `share`: it applies its part of each limit, in memory.
 * `refuse`: it refuses every call that is limited.
 */
export type LimitsFallback = "share" | "refuse"

export const LimitsFallback = Context.Reference<LimitsFallback>("@tollgate/gateway/LimitsFallback", {
  defaultValue: () => "share"
})

const groupsOf = ({ group }: Rates, { groupUsed, now }: Answer): Map<string, Bucket> =>
  new Map(group === undefined ? [] : [[group.id, Bucket.restore(group.rpm, now, groupUsed)]])

/** The limits as the store had them when it decided: what is told to the caller has the same rules as in memory. */
export const snapshot = (rates: Rates, answer: Answer, groups = groupsOf(rates, answer)): KeyLimits => {
  const { now, requestsUsed, running, tokensUsed } = answer
  return new KeyLimits({ ...rates, concurrency: 0 }, now, {
    requests: Bucket.restore(rates.rpm, now, requestsUsed),
    tokens: Bucket.restore(rates.tpm, now, tokensUsed),
    groups,
    running
  })
}

export const restoreGroups = (groups: ReadonlyArray<GroupState>): Map<string, Bucket> =>
  new Map(groups.map(({ at, id, limit, used }) => [id, Bucket.restore(limit, at, used)]))

const withLimits = (principal: Principal, of: (limit: number) => number): Principal => {
  const { concurrency, rpm, tpm } = principal.allowance
  return { ...principal, allowance: { rpm: of(rpm), tpm: of(tpm), concurrency: of(concurrency) } }
}

const withLimit = ({ concurrent, group }: Demand, of: (limit: number) => number): Demand =>
  group === undefined ? { concurrent } : { concurrent, group: { id: group.id, rpm: of(group.rpm) } }

const part = (gateways: number) => (limit: number) => Math.ceil(limit / gateways)

/** The limits that one of several gateways applies while the shared ones are gone. */
export const shareOf = (principal: Principal, gateways: number): Principal => withLimits(principal, part(gateways))

export const demandShare = (demand: Demand, gateways: number): Demand => withLimit(demand, part(gateways))

const unavailable = refuse("limits_unavailable", "The limits cannot be checked; nothing was executed.", {
  retryAfter: 1_000
})

/** What every command about a request has. */
const commandFor = (principal: Principal, { group }: Demand) => ({
  key: limitedAs(principal),
  rpm: principal.allowance.rpm,
  tpm: principal.allowance.tpm,
  group
})

/** Limits that all gateways of a store share. */
export const make = Effect.gen(function* () {
  const fallback = yield* LimitsFallback
  const store = yield* LimitStore
  const own = yield* makeCounts
  const fleet = Option.getOrUndefined(yield* Effect.serviceOption(Fleet))
  const gatewayCount = () => fleet?.size() ?? 1
  const reach = yield* Reach.make(store)

  /** The store is gone. */
  const alone = <A>(
    principal: Principal,
    decide: (share: Principal, gateways: number) => Effect.Effect<A, Refused>
  ): Effect.Effect<A, Refused> =>
    fallback === "refuse"
      ? Effect.fail(unavailable)
      : Effect.suspend(() => {
          const gateways = gatewayCount()
          return decide(shareOf(principal, gateways), gateways)
        })

  const admitted = (
    principal: Principal,
    demand: Demand,
    take: Take,
    answer: Answer
  ): Effect.Effect<Admission, Refused> => {
    const { key, rpm, tpm } = take
    const limits = snapshot(take, answer)
    if (!answer.isGranted) {
      const exceeded = limits.exceeded(demand, principal.allowance, answer.now)
      return Effect.fail(refusal(exceeded!, limits.headers(demand, answer.now)))
    }
    limits.acquire(demand, answer.now)
    let taken: number | undefined
    /** The tokens, if the store was gone when they were taken. */
    let ownTokens: Admission | undefined
    let ended = false

    const takeOwnTokens = (exchange: Priced) =>
      alone(principal, (share, gateways) => {
        ownTokens = own.admitted(share, demandShare(demand, gateways), admission.limits)
        return Effect.ensuring(
          ownTokens.takeTokens(exchange),
          Effect.sync(() => void (admission.limits = ownTokens?.limits ?? admission.limits))
        )
      })

    const tokensTaken = (tokens: number, take: Take, answer: Answer): Effect.Effect<void, Refused> => {
      const limits = snapshot(take, answer)
      const exceeded = answer.isGranted ? undefined : limits.exceededTokens(tokens, demand, answer.now)
      if (answer.isGranted) taken = limits.takeTokens(tokens)
      admission.limits = limits.headers(demand, answer.now)
      return exceeded === undefined ? Effect.void : Effect.fail(refusal(exceeded, admission.limits))
    }

    const told = limits.headers(demand, answer.now)
    const admission = {
      limits: told,
      takeTokens: (exchange: Priced) => {
        const estimated = tokensOf(exchange)
        if (estimated === undefined) return Effect.void
        const tokens = countableTokens(estimated)
        const more: Take = { ...take, request: false, tokens, lease: undefined }
        return Effect.matchEffect(reach.ask(more), {
          onFailure: () => takeOwnTokens(exchange),
          onSuccess: (answer) => tokensTaken(tokens, more, answer)
        })
      },
      end: (used: number | undefined) =>
        Effect.suspend(() => {
          if (ended) return Effect.void
          ended = true
          if (taken !== undefined && used === 0) admission.limits = told
          const lease = take.lease?.id
          const correction = taken === undefined || used === undefined ? undefined : countableTokens(used - taken)
          if (lease !== undefined || correction !== undefined) {
            reach.send({ kind: "end", key, rpm, tpm, lease, correction })
          }
          return ownTokens?.end(used) ?? Effect.void
        })
    }
    return Effect.succeed(admission)
  }

  const admit = (given: Principal, asked: Demand, id: string): Effect.Effect<Admission, Refused> => {
    const principal = withLimits(given, countable)
    const demand = withLimit(asked, countable)
    const lease = demand.concurrent ? { id, most: principal.allowance.concurrency } : undefined
    const rates = commandFor(principal, demand)
    const take: Take = { kind: "take", ...rates, request: true, tokens: undefined, lease }
    return Effect.matchEffect(reach.ask(take), {
      onFailure: () => alone(principal, (share, gateways) => own.admit(share, demandShare(demand, gateways))),
      onSuccess: (answer) => admitted(principal, demand, take, answer)
    })
  }

  const stateOf = Effect.fnUntraced(function* (given: Principal) {
    const principal = withLimits(given, countable)
    const rates = commandFor(principal, requestOnly)
    const lease = { id: undefined, most: 0 }
    const answer = yield* reach.ask({ kind: "take", ...rates, request: false, tokens: undefined, lease })
    const groups = restoreGroups(yield* store.groups(rates.key))
    return snapshot(rates, answer, groups).state(principal.allowance, answer.now)
  })

  return {
    admit,
    state: (principal: Principal): Effect.Effect<RateLimitState, Refused> =>
      Effect.catch(stateOf(principal), () => alone(principal, own.state))
  }
})
