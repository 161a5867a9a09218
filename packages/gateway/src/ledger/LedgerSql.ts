import { toMicros } from "@tollgate/contract/Money"
import type { Charge } from "@tollgate/contract/Outcome"
import { SecureRandom } from "effect/crypto/SecureRandom"
import * as Effect from "effect/Effect"
import * as Hex from "effect/encoding/Hex"
import * as Latch from "effect/Latch"
import * as Layer from "effect/Layer"
import * as Schedule from "effect/Schedule"
import type { Scope } from "effect/Scope"
import { SqlClient } from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import type { Priced } from "../Exchange.ts"
import { refuse, Refused } from "../Refused.ts"
import { OnMilestone } from "../Milestone.ts"
import * as Rows from "../store/rows.ts"
import * as Statements from "../store/statements.ts"
import * as Transaction from "../store/Transaction.ts"
import type { Command, Result } from "./Command.ts"
import * as Commits from "./Commits.ts"
import * as Group from "./group.ts"
import * as Journal from "./Journal.ts"
import { type Idempotency, Ledger, type Reservation, type Reserved } from "./Ledger.ts"
import * as Sweeper from "./Sweeper.ts"

const unavailable = () =>
  refuse("billing_unavailable", "The ledger cannot be written; nothing was executed.", { retryAfter: 1_000 })

const unsettled = () =>
  refuse("settlement_pending", "The call was executed, and its charge could not be recorded yet.", {
    retryAfter: 5_000
  })

/** Once the call has run its end must be recorded: tried again until it is, each time after a longer pause. */
const persistent = Schedule.min([Schedule.exponential("50 millis"), Schedule.spaced("2 seconds")])

/** How long an answer waits for its charge to be recorded, before the caller is told that it is not. */
const patience = "10 seconds"

/** How long, and how many of them, decisions stay in the journal before they are brought into the tables. */
const tableMillis = 1_000
const mostWaiting = 256

/** For the operator. The kind of failure only: a message of the store's may quote a value. */
const report = (error: SqlError) => Effect.logError("the ledger cannot be written", { reason: error.reason._tag })

/** For who reads the tables without a ledger: a gateway that was killed may have left some of its decisions in the journal. */
export const catchUp: Effect.Effect<void, SqlError, SqlClient> = Effect.suspend(() =>
  Effect.flatMap(SqlClient, (sql) => {
    const solitary = Transaction.solitary(sql)
    if (solitary === undefined) return Effect.void
    return solitary.exclusively(Journal.make(solitary, Statements.make(sql), () => {}).catchUp)
  })
)

type Commit = (commands: ReadonlyArray<Command>) => Effect.Effect<ReadonlyArray<Result>, SqlError>

/** Into the journal where the store is this process's own, and into the tables from time to time; else at once. */
const committing = Effect.fnUntraced(function* (sql: SqlClient, owner: string): Effect.fn.Return<Commit, never, Scope> {
  const reached = yield* OnMilestone
  const statements = Statements.make(sql)
  const onWritten = () => reached("committing")
  const committed = <A>(results: A): A => {
    reached("committed")
    return results
  }
  const solitary = Transaction.solitary(sql)
  if (solitary === undefined) {
    const transact = Transaction.of(sql)
    const group = Group.make(statements, onWritten)
    return (commands) => Effect.map(transact(group(commands, owner)), committed)
  }

  const journal = Journal.make(solitary, statements, onWritten)
  const catchUp = Effect.tapError(solitary.exclusively(journal.catchUp), report)
  const isDue = yield* Latch.make(false)
  const isFull = yield* Latch.make(false)
  // Where that fails, the others meet the tables as they were last.
  solitary.beforeOthers(() => {
    try {
      journal.catchUp()
    } catch {}
  })
  yield* Effect.addFinalizer(() => Effect.ignore(catchUp))
  yield* Effect.orDie(catchUp)
  yield* isDue.await.pipe(
    Effect.andThen(Effect.race(Effect.sleep(tableMillis), isFull.await)),
    Effect.andThen(Effect.all([isDue.close, isFull.close])),
    Effect.andThen(Effect.retry(catchUp, persistent)),
    Effect.forever,
    Effect.forkScoped
  )
  const written = <A>(results: A): A => {
    const waiting = journal.waiting()
    if (waiting > 0) isDue.openUnsafe()
    if (waiting >= mostWaiting) isFull.openUnsafe()
    return committed(results)
  }
  return (commands) =>
    Effect.map(
      solitary.exclusively(() => journal.commit(commands, owner)),
      written
    )
})

const make = Effect.gen(function* () {
  const sql = yield* SqlClient
  const random = yield* SecureRandom
  const rows = Rows.make(sql)
  // Whose the open calls are: those of another owner were left behind.
  const owner = Hex.encode(yield* random.randomBytes(8))
  const context = yield* Effect.context()

  const commit = yield* committing(sql, owner)
  const submit = yield* Commits.make((commands: ReadonlyArray<Command>) => Effect.tapError(commit(commands), report))

  const sweeper = Sweeper.make(rows, submit, owner, yield* Sweeper.Sweeping)
  yield* Effect.orDie(sweeper.recover)
  yield* Effect.ignore(Effect.tapError(sweeper.sweep, report)).pipe(
    Effect.repeat(Schedule.spaced((yield* Sweeper.Sweeping).everyMillis)),
    Effect.forkScoped
  )

  /** Once the store has failed: in a fiber of its own, which goes on when the caller has left. */
  const persist = (command: Command): Effect.Effect<Result> =>
    Effect.callback((resume) => {
      const tried = Effect.orDie(Effect.retry(submit(command), persistent))
      Effect.runForkWith(context)(tried).addObserver(resume)
    })

  const ending = (command: Command): Effect.Effect<Result> => Effect.catch(submit(command), () => persist(command))

  const settling = (command: Command): Effect.Effect<Result, Refused> =>
    Effect.catch(submit(command), () =>
      Effect.timeoutOrElse(persist(command), { duration: patience, orElse: () => Effect.fail(unsettled()) })
    )

  /** In one step with what is asked then: every call does this twice. */
  const now = <A, E>(ask: (now: number) => Effect.Effect<A, E>): Effect.Effect<A, E> =>
    Effect.clockWith((clock) => ask(clock.currentTimeMillisUnsafe()))

  const granted = {
    onSuccess: (result: Result) =>
      result instanceof Refused ? Effect.fail(result) : Effect.succeed(result as Reserved),
    onFailure: () => Effect.fail(unavailable())
  }

  return Ledger.of({
    reserve: (exchange, idempotency) =>
      now((now) => {
        const reservation = reservationOf(exchange, idempotency, now)
        return Effect.matchEffect(submit({ ask: "reserve", now, reservation, idempotency }), granted)
      }),
    settle: (reservation, settled) =>
      now((now) => settling({ ask: "settle", now, reservation, settled }) as Effect.Effect<Charge, Refused>),
    release: (reservation, status) => now((now) => Effect.asVoid(ending({ ask: "release", now, reservation, status }))),
    markUnknown: (reservation) => now((now) => Effect.asVoid(ending({ ask: "hold", now, reservation }))),
    begin: (reservation, begun, answer) =>
      now((now) => settling({ ask: "begin", now, reservation, begun, answer }) as Effect.Effect<Charge, Refused>),
    finish: (reservation, end) => now((now) => Effect.asVoid(ending({ ...end, now, reservation })))
  })
})

const reservationOf = (
  { estimate, operation, principal, requestId }: Priced,
  idempotency: Idempotency | undefined,
  now: number
): Reservation => ({
  call: requestId,
  account: principal?.account ?? "",
  key: principal?.key ?? "",
  operation: operation.id,
  amount: toMicros(estimate.most),
  createdAt: now,
  keepAnswer: idempotency !== undefined
})

export const layer: Layer.Layer<Ledger, never, SqlClient | SecureRandom> = Layer.effect(Ledger, make)
