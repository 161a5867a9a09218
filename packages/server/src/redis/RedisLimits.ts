import { LimitStore, LimitStoreError } from "@tollgate/gateway/driver"
import type { LimitAnswer, LimitCommand, LimitGroupState } from "@tollgate/gateway/driver"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import * as Schedule from "effect/Schedule"
import { connect, parse, type Redis } from "./connect.ts"
import { commandScript, countOnly, none, renewScript } from "./script.ts"

/** No lease is renewed for longer: its fiber was lost. */
const lifetimeMillis = 900_000

/** The leases that calls of this process hold, by caller, and when each ends at the latest by the time of Redis. */
class HeldLeases {
  readonly #held = new Map<string, Map<string, number>>()

  add(key: string, lease: string, now: number): void {
    const leases = this.#held.get(key) ?? new Map<string, number>()
    this.#held.set(key, leases.set(lease, now + lifetimeMillis))
  }

  remove(key: string, lease: string): void {
    const leases = this.#held.get(key)
    leases?.delete(lease)
    if (leases?.size === 0) this.#held.delete(key)
  }

  keys(): ReadonlyArray<string> {
    return [...this.#held.keys()]
  }

  /** Each lease of the caller, and when it ends. */
  of(key: string): ReadonlyArray<string> {
    return [...(this.#held.get(key) ?? [])].flatMap(([lease, end]) => [lease, String(end)])
  }
}

export interface Options {
  /** `redis://user:password@host:port/database`, or `rediss://…` */
  readonly address: Redacted.Redacted
  /** Names what is stored, so that gateways of different stores can use one Redis. */
  readonly prefix: string
  /** In place of the time of Redis, for tests. */
  readonly now?: () => number
  /** How long a lease outlives the last sign of its gateway. Default: 12 seconds. */
  readonly leaseMillis?: number
}

const defaultLeaseMillis = 12_000
const renewMillis = 4_000

const failure = (error: unknown) =>
  new LimitStoreError({ message: error instanceof Error ? error.message : String(error) })

const mostOf = ({ lease }: LimitCommand & { readonly kind: "take" }): string =>
  lease === undefined ? none : lease.id === undefined ? countOnly : String(lease.most)

/** After the time. */
const argumentsOf = (command: LimitCommand): ReadonlyArray<string> => {
  const { rpm, tpm } = command
  if (command.kind === "end") {
    return [String(rpm), String(tpm), "", "0", "0", String(command.correction ?? ""), none, command.lease ?? ""]
  }
  const { group, lease, request, tokens } = command
  return [
    String(rpm),
    String(tpm),
    group?.id ?? "",
    String(group?.rpm ?? 0),
    request ? "1" : "0",
    String(tokens ?? none),
    mostOf(command),
    lease?.id ?? ""
  ]
}

const answerIn = (reply: unknown): LimitAnswer => {
  const [now = 0, granted = 0, requestsUsed = 0, tokensUsed = 0, groupUsed = 0, running = 0] = (
    reply as ReadonlyArray<unknown>
  ).map(Number)
  return { now, isGranted: granted === 1, requestsUsed, tokensUsed, groupUsed, running }
}

const groupIn = ([field, value]: readonly [string, string]): ReadonlyArray<LimitGroupState> => {
  const [limit = 0, used = 0, at = 0] = value.split(" ").map(Number)
  return field.startsWith("g:") ? [{ id: field.slice(2), limit, used, at }] : []
}

/** In pairs, or as an object, by the version of the protocol. */
const fieldsIn = (reply: unknown): ReadonlyArray<readonly [string, string]> =>
  Array.isArray(reply)
    ? Array.from({ length: reply.length / 2 }, (_, i) => [String(reply[2 * i]), String(reply[2 * i + 1])] as const)
    : Object.entries(reply as Record<string, unknown>).map(([field, value]) => [field, String(value)] as const)

const make = Effect.fnUntraced(function* ({ address: given, leaseMillis = defaultLeaseMillis, now, prefix }: Options) {
  const address = parse(given)
  if (Result.isFailure(address)) return yield* new LimitStoreError({ message: address.failure })
  const redis: Redis = yield* connect(address.success)
  const held = new HeldLeases()
  const time = (): string => String(now?.() ?? "")

  // A cluster keeps keys with the same part in braces together.
  const bucketsOf = (key: string): string => `${prefix}:{${key}}:buckets`
  const leasesOf = (key: string): string => `${prefix}:{${key}}:leases`

  // What is held is looked up when it is sent: a lease that has ended must not come back.
  const renewOne = (key: string) =>
    redis.evaluate(renewScript, () => ({
      keys: [leasesOf(key)],
      args: [time(), String(leaseMillis), ...held.of(key)]
    }))

  const runOne = async (command: LimitCommand): Promise<LimitAnswer> => {
    const { key, kind } = command
    const forget = () => void (kind === "end" && command.lease !== undefined && held.remove(key, command.lease))
    forget()
    const reply = await redis.evaluate(commandScript, () => ({
      keys: [bucketsOf(key), leasesOf(key)],
      args: [kind, time(), ...argumentsOf(command), String(leaseMillis)]
    }))
    const answer = answerIn(reply)
    if (kind === "take" && command.lease?.id !== undefined && answer.isGranted) {
      held.add(key, command.lease.id, answer.now)
    }
    // Again: the reply that granted it may have come late, after the end was sent. Replies come in order.
    forget()
    return answer
  }

  const renew = Effect.promise(() => Promise.allSettled(held.keys().map(renewOne)))
  yield* Effect.forkScoped(Effect.repeat(Effect.delay(renew, renewMillis), Schedule.forever))

  return LimitStore.of({
    run: (commands) =>
      Effect.tryPromise({
        // Sent together: the client writes what is asked in one step at once.
        try: async () => {
          if (commands.length > 0) return await Promise.all(commands.map(runOne))
          await redis.send("PING")
          return []
        },
        catch: failure
      }),
    groups: (key) =>
      Effect.tryPromise({
        try: async () => fieldsIn(await redis.send("HGETALL", bucketsOf(key))).flatMap(groupIn),
        catch: failure
      })
  })
})

/** Limits in Redis 7 or newer, by its time. A lease ends with its gateway, which renews those that it holds. */
export const layer = (options: Options): Layer.Layer<LimitStore, LimitStoreError> =>
  Layer.effect(LimitStore, make(options))
