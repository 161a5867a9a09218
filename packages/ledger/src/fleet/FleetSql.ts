import * as Context from "effect/Context"
import { SecureRandom } from "effect/crypto/SecureRandom"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Queue from "effect/Queue"
import * as Schedule from "effect/Schedule"
import * as Semaphore from "effect/Semaphore"
import { SqlClient } from "effect/sql/SqlClient"
import { ConnectionError, SqlError } from "effect/sql/SqlError"
import { describeSqlError } from "../store/describeSqlError.ts"
import * as Rows from "../store/rows.ts"
import { isOwnerGone } from "./fence.ts"
import { Fleet, newOwner, type OwnerGone } from "./Fleet.ts"
import * as GatewayRows from "./gatewayRows.ts"
import * as Clock from "effect/Clock"

/** More than a busy machine needs to read the store's time. */
const mostMillis = 30_000

/**
 * Warns once if this machine's clock is wrong by the store's. Quotas, the lives of idempotency keys and what is deleted go by
 * the machine's.
 */
export const makeClockWatch = () => {
  let isWrong = false
  return (storeMillis: number): Effect.Effect<void> =>
    Effect.flatMap(Clock.currentTimeMillis, (now) => {
      const seconds = Math.round((now - storeMillis) / 1_000)
      const wasWrong = isWrong
      isWrong = Math.abs(now - storeMillis) > mostMillis
      return isWrong && !wasWrong
        ? Effect.logWarning("the clock of this machine differs from that of PostgreSQL; set it", { seconds })
        : Effect.void
    })
}

export interface FleetTimes {
  /** Between two heartbeats, each with a look at the others. */
  readonly beatMillis: number
  /** A gateway without a heartbeat for this long is dead. */
  readonly deadMillis: number
}

/** A dead gateway is noticed after `deadMillis` and one beat at most. */
export const FleetTimes = Context.Reference<FleetTimes>("@tollgate/ledger/FleetTimes", {
  defaultValue: () => ({ beatMillis: 2_500, deadMillis: 10_000 })
})

const stopped = () =>
  new SqlError({
    reason: new ConnectionError({
      cause: new Error("the gateway has stopped"),
      message: "the gateway has stopped",
      operation: "register"
    })
  })

const isGone = (error: SqlError | OwnerGone): boolean => error._tag === "OwnerGone" || isOwnerGone(error)

const make = Effect.fnUntraced(function* (gateway: GatewayRows.NewGateway) {
  const rows = GatewayRows.make(Rows.make(yield* SqlClient))
  const random = yield* SecureRandom
  const { beatMillis, deadMillis } = yield* FleetTimes
  const turn = Semaphore.makeUnsafe(1)
  const listeners: Array<Effect.Effect<void>> = []
  const departures = yield* Queue.sliding<void>(1)
  let config = gateway.config
  let owner = ""
  let others: ReadonlySet<string> = new Set()
  let isClosed = false

  const clockWatch = makeClockWatch()

  const register = Effect.gen(function* () {
    const id = yield* Effect.provideService(newOwner, SecureRandom, random)
    yield* rows.insert(id, { ...gateway, config })
    owner = id
  })

  /** Registers under a new id, unless that was done since the caller looked. */
  const registerAgain = (gone: string): Effect.Effect<void, SqlError> =>
    turn.withPermit(
      Effect.suspend(() => {
        if (owner !== gone) return Effect.void
        if (isClosed) return Effect.fail(stopped())
        const said = Effect.logWarning("another gateway took this one for dead; it goes on under a new id", { gone })
        // What it began under the old id is settled like that of any other that is gone.
        return Effect.andThen(register, Effect.andThen(said, Queue.offer(departures, undefined)))
      })
    )

  const look = Effect.gen(function* () {
    const id = owner
    const beatAt = yield* rows.beat(id)
    if (beatAt === undefined) yield* registerAgain(id)
    else yield* clockWatch(beatAt)
    for (const { name, open } of yield* rows.deleteSilent(owner, deadMillis)) {
      yield* Effect.logWarning("another gateway is dead; its open calls are marked unknown", {
        gateway: name,
        calls: open
      })
    }
    const living = yield* rows.ids
    living.delete(owner)
    if ([...others].some((other) => !living.has(other))) yield* Queue.offer(departures, undefined)
    others = living
  })

  const deregister = Effect.suspend(() => {
    isClosed = true
    return rows.delete(owner)
  }).pipe(turn.withPermit, Effect.ignore)

  yield* Effect.acquireRelease(register, () => deregister)
  yield* look
  yield* Effect.ignore(
    Effect.tapError(look, (error) => Effect.logWarning("heartbeat failed", describeSqlError(error)))
  ).pipe(Effect.repeat(Schedule.spaced(beatMillis)), Effect.delay(beatMillis), Effect.forkScoped)
  yield* Queue.take(departures).pipe(
    Effect.andThen(Effect.suspend(() => Effect.forEach(listeners, (run) => run, { discard: true }))),
    Effect.forever,
    Effect.forkScoped
  )

  return Fleet.of({
    isAlone: false,
    owner: () => owner,
    size: () => others.size + 1,
    asOwner: (write) => {
      const attempt: ReturnType<typeof write> = Effect.suspend(() => {
        const id = owner
        return Effect.catchIf(write(id), isGone, () => Effect.andThen(registerAgain(id), attempt))
      })
      return attempt as Effect.Effect<Effect.Success<typeof attempt>, SqlError>
    },
    onGone: (run) => void listeners.push(run),
    setConfig: (digest) =>
      Effect.suspend(() => {
        config = digest
        return Effect.asVoid(rows.setConfig(owner, digest))
      })
  })
})

/** One of several gateways on one PostgreSQL, whose tables are migrated. Its row is deleted with the scope. */
export const layer = (gateway: GatewayRows.NewGateway): Layer.Layer<Fleet, SqlError, SqlClient | SecureRandom> =>
  Layer.effect(Fleet, make(gateway))
