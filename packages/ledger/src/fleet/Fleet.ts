import * as Context from "effect/Context"
import { SecureRandom } from "effect/crypto/SecureRandom"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Hex from "effect/encoding/Hex"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import type { SqlError } from "effect/sql/SqlError"
import { connectionError, describeSqlError, isRaised } from "../store/rows.ts"
import * as Rows from "../store/rows.ts"
import type { Statement } from "../store/statements.ts"
import type { Transact, Transaction } from "../store/Transaction.ts"
import * as Queue from "effect/Queue"
import * as Schedule from "effect/Schedule"
import * as Semaphore from "effect/Semaphore"
import { SqlClient } from "effect/sql/SqlClient"
import * as GatewayRows from "./gatewayRows.ts"
import * as Clock from "effect/Clock"

/** Others have taken this gateway for dead and deleted its row. Nothing was written. */
export class OwnerGone extends Data.TaggedError("OwnerGone") {}

/** The gateways that share a store, seen from one of them. */
export class Fleet extends Context.Service<
  Fleet,
  {
    /** Whether no other gateway can use the store. */
    readonly isAlone: boolean
    /** The id of this gateway, which owns what it begins. It changes if others took this gateway for dead. */
    readonly owner: () => string
    /** How many gateways live, this one included. */
    readonly size: () => number
    /**
     * Runs a write that commits only while this gateway has its row (`fence.ts`). If the row is gone, the gateway
     * registers under a new id and the write runs again.
     */
    readonly asOwner: <A>(
      write: (owner: string) => Effect.Effect<A, SqlError | OwnerGone>
    ) => Effect.Effect<A, SqlError>
    /** `run` runs on each gateway after another one has gone, and after this one got a new id. One run at a time. */
    readonly onGone: (run: Effect.Effect<void>) => void
    /** Tells the other gateways which configuration this one has. */
    readonly setConfig: (digest: string) => Effect.Effect<void, SqlError>
  }
>()("@tollgate/ledger/Fleet") {
  /** For a store that one gateway uses at a time. */
  static readonly layerAlone: Layer.Layer<Fleet, never, SecureRandom> = Layer.effect(
    Fleet,
    Effect.suspend(() => alone)
  )
}

export const newOwner = Effect.map(
  SecureRandom.use((random) => random.randomBytes(8)),
  Hex.encode
)

const alone = Effect.map(newOwner, (owner) =>
  Fleet.of({
    isAlone: true,
    owner: () => owner,
    size: () => 1,
    // No row, so it cannot be gone.
    asOwner: (write) => Effect.catchTag(write(owner), "OwnerGone", Effect.die),
    onGone: () => {},
    setConfig: () => Effect.void
  })
)

/** The fleet that is provided. Without one, this gateway is alone. */
export const current: Effect.Effect<Fleet["Service"], never, SecureRandom> = Effect.flatMap(
  Effect.serviceOption(Fleet),
  Option.match({ onNone: () => alone, onSome: Effect.succeed })
)

/** What a function of the store raises if the gateway that calls it has no row. */
export const ownerGoneState = "TG001"

/**
 * Read in each transaction of the ledger. The row cannot be deleted until the transaction ends, so what a gateway committed
 * is there before others settle what it left. A heartbeat does not conflict with this lock.
 */
const fence = (owner: string): Statement => ({
  text: "SELECT id FROM gateways WHERE id = $1 FOR KEY SHARE",
  values: [owner]
})

/** Whether the store has refused a write because the gateway's row is gone. */
export const isOwnerGone = (error: SqlError): boolean => isRaised(error, ownerGoneState)

/** `undefined`: the row is gone, and nothing is written. */
const fenced = <A>(transaction: Transaction<A>, owner: string): Transaction<{ readonly result: A } | undefined> => ({
  ...transaction,
  reads: [fence(owner), ...transaction.reads],
  decide: ([row = [], ...found]) => {
    if (row.length === 0) return { writes: [], result: undefined }
    const { result, writes } = transaction.decide(found)
    return { writes, result: { result } }
  }
})

/** Commits a transaction as the owner that this gateway is at that moment. */
export const transactAsOwner =
  (fleet: Fleet["Service"], transact: Transact) =>
  <A>(transaction: (owner: string) => Transaction<A>): Effect.Effect<A, SqlError> =>
    fleet.isAlone
      ? transact(transaction(fleet.owner()))
      : fleet.asOwner((owner) =>
          Effect.flatMap(transact(fenced(transaction(owner), owner)), (ended): Effect.Effect<A, OwnerGone> =>
            ended === undefined ? Effect.fail(new OwnerGone()) : Effect.succeed(ended.result)
          )
        )

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

const stopped = () => connectionError("register", "the gateway has stopped")

const isGone = (error: SqlError | OwnerGone): boolean => error._tag === "OwnerGone" || isOwnerGone(error)

const make = Effect.fnUntraced(function* (gateway: GatewayRows.NewGateway) {
  const rows = GatewayRows.makeRows(Rows.make(yield* SqlClient))
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
