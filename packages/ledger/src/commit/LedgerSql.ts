import { micro, roundToMicros } from "@tollgate/contract/Money"
import type { Charge } from "@tollgate/contract/Outcome"
import { contractOf } from "@tollgate/contract/price/contracts"
import * as Clock from "effect/Clock"
import type { SecureRandom } from "effect/crypto/SecureRandom"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Schedule from "effect/Schedule"
import { SqlClient } from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import * as Fleet from "../fleet/Fleet.ts"
import { notify } from "../fleet/Notices.ts"
import { observeCommits } from "./OnCommit.ts"
import { refuse, Refused, tellingCost } from "@tollgate/contract/errors/Refused"
import { EmbeddedStore } from "../store/EmbeddedStore.ts"
import { make as makeRows, text } from "../store/rows.ts"
import { type Attempted, type Command, type CommandOf, encodeError, type Result } from "../ledger/Command.ts"
import { isRepeat } from "./attempts.ts"
import { chargeNow } from "./callRows.ts"
import * as Commit from "./commit.ts"
import * as WriteFailure from "./WriteFailure.ts"
import * as GroupCommit from "./GroupCommit.ts"
import * as Checkpoint from "./journal/Checkpoint.ts"
import { Ledger, type PricedCall } from "../ledger/Ledger.ts"
import { ModelNames, TagNames } from "../ledger/recorded.ts"
import type { Short } from "../ledger/Balance.ts"
import type { Reservation, Reserved } from "../ledger/Reservation.ts"
import { storedAnswer } from "./reserve.ts"
import { headersText } from "../ledger/Settled.ts"
import * as Sweeper from "./Sweeper.ts"
import { isClaimed, left, exhausted } from "../ledger/available.ts"
import { maxStoredBytes } from "../ledger/Transition.ts"
import * as Waiting from "./Waiting.ts"

const unavailable = () =>
  refuse("billing_unavailable", "The ledger cannot be written; nothing was executed.", { retryAfter: 1_000 })

const settlementPending = () =>
  refuse(
    "settlement_pending",
    "The call was executed, and its charge could not be recorded yet. Only its idempotency key can return the answer.",
    {
      retryAfter: 5_000
    }
  )

/** How long a caller waits for its charge to be recorded before it gets `settlement_pending`. */
const settleTimeout = "10 seconds"

/** Brings the tables up to date, for programs that read them without a ledger. */
export const checkpoint: Effect.Effect<void, SqlError, SqlClient> = Checkpoint.once
export const checkpointBeforeStatements: Effect.Effect<void, never, SqlClient> = Checkpoint.beforeStatements

const make = Effect.gen(function* () {
  const sql = yield* SqlClient
  const clock = yield* Clock.Clock
  const rows = makeRows(sql)
  const models = new ModelNames()
  const tagNames = new TagNames()
  const fleet = yield* Fleet.current
  const context = yield* Effect.context()

  const commit = yield* Commit.make(sql, fleet)
  const observed = yield* observeCommits
  const isEmbedded = Option.isSome(yield* Effect.serviceOption(EmbeddedStore))
  // An embedded store is never gone.
  const failures = yield* WriteFailure.makeFailureLog(!isEmbedded)
  /** Failures are logged, and those who wait for money look whether it was set free. */
  const told = <A extends Result | undefined>(
    commit: (commands: ReadonlyArray<Command>) => Effect.Effect<ReadonlyArray<A>, SqlError>
  ) => {
    const run = observed(commit)
    return (commands: ReadonlyArray<Command>) => {
      const committed = Effect.map(run(commands), (results) => {
        waits.committed(commands, results)
        return results
      })
      const logged = Effect.tapError(committed, failures.failed)
      return isEmbedded ? logged : Effect.tap(logged, failures.succeeded)
    }
  }
  const submit = yield* GroupCommit.make<Command, Result, SqlError>({
    all: told(commit.all),
    isGone: ({ reason }) => reason._tag === "ConnectionError",
    ordinary: commit.ordinary && told(commit.ordinary)
  })

  // In this process no reply is lost.
  const endDoubtful = isEmbedded ? () => {} : yield* WriteFailure.makeEndDoubtful(submit)

  const refuseAfterFailure = (reservation: Reservation) => {
    endDoubtful(reservation)
    return Effect.fail(unavailable())
  }

  const decide = (command: CommandOf<"reserve">): Effect.Effect<Reserved | Short, Refused> =>
    Effect.matchEffect(submit(command), {
      onSuccess: (result) =>
        result instanceof Refused ? Effect.fail(result) : Effect.succeed(result as Reserved | Short),
      onFailure: () => refuseAfterFailure(command.reservation)
    })

  const waits = yield* Waiting.make({
    decide,
    giveBack: (reservation) => end({ kind: "refuse", now: now(), reservation })
  })

  const sweeper = Sweeper.make(rows, submit, fleet, yield* Sweeper.Sweeping)
  yield* Effect.orDie(sweeper.recover)
  yield* Effect.forkScoped(Effect.ignore(sweeper.tidy))
  fleet.onGone(Effect.ignore(Effect.retry(sweeper.markLeftBehind, WriteFailure.retry)))
  yield* Effect.ignore(Effect.tapError(sweeper.sweep, WriteFailure.log)).pipe(
    Effect.repeat(Schedule.spaced((yield* Sweeper.Sweeping).everyMillis)),
    Effect.forkScoped
  )

  /** Retries in a fiber of its own, which goes on if the caller leaves. */
  const retry = (command: Command, error: SqlError): Effect.Effect<Result> =>
    Effect.callback((resume) => {
      let next = withoutRefused(command, error)
      const again = Effect.tapError(
        Effect.suspend(() => submit(next)),
        (error) => Effect.sync(() => void (next = withoutRefused(next, error)))
      )
      const retried = Effect.orDie(Effect.retry(again, WriteFailure.retry))
      Effect.runForkWith(context)(retried).addObserver(resume)
    })

  // The clock is read when the effect is made, which is when it is run: a step of its own would cost every call two.
  const now = () => clock.currentTimeMillisUnsafe()

  /** Once a call has run its end must be recorded, however long the store takes. */
  const end = (command: Command): Effect.Effect<void> =>
    Effect.asVoid(Effect.catch(submit(command), (error) => retry(command, error)))

  const charge = (command: CommandOf<"settle" | "begin">): Effect.Effect<Charge, Refused> =>
    submit(command, (exit) =>
      Effect.catchEager(exit, (error) =>
        Effect.timeoutOrElse(retry(command, error), {
          duration: settleTimeout,
          orElse: () => Effect.fail(settlementPending())
        })
      )
    ) as Effect.Effect<Charge, Refused>

  const orWait = (command: CommandOf<"reserve">) => (result: Reserved | Short) =>
    result.kind === "short" ? waits.enter(command, result) : Effect.succeed(result)

  const claimed = isClaimed(rows)

  /** Whether it may only ask for the answer of an earlier call, which needs no money. */
  const mayRepeat = (command: CommandOf<"reserve">): Effect.Effect<boolean> =>
    command.idempotency === undefined ? Effect.succeed(isRepeat(command)) : claimed(command.idempotency.id)

  /** Behind the calls that wait. */
  const reserveInLine = (command: CommandOf<"reserve">): Effect.Effect<Reserved, Refused> =>
    Effect.flatMap(mayRepeat(command), (repeats) =>
      repeats ? Effect.flatMap(decide(command), orWait(command)) : waits.enter(command)
    )

  return Ledger.of({
    exhausted: exhausted(rows, clock, Effect.runForkWith(context)),
    left: left(rows, clock),
    isClaimed: claimed,
    hasEnded: (call) =>
      rows.query`SELECT 1 FROM calls WHERE id = ${call} AND state = 'open'`.pipe(
        Effect.map((open) => open.length === 0),
        Effect.orElseSucceed(() => false)
      ),
    chargeOf: (id, rootKey) =>
      rows.query`SELECT c.id, c.state, c.charged, c.cost_state FROM idempotency i JOIN calls c ON c.id = i.call
        JOIN keys k ON k.id = c.key WHERE i.id = ${id} AND COALESCE(k.root_key, k.id) = ${rootKey}`.pipe(
        Effect.map(([row]) => row && { call: text(row, "id"), charge: chargeNow(row) }),
        Effect.mapError(() => refuse("billing_unavailable", "The ledger cannot be read.", { retryAfter: 1_000 }))
      ),
    cancelElsewhere: (id, rootKey) =>
      fleet.isAlone ? Effect.void : Effect.ignore(notify(sql, { kind: "cancel", id, rootKey })),
    answerOf: (call) =>
      rows.query`SELECT status, content_type, headers, body FROM answers WHERE call = ${call}`.pipe(
        Effect.map(([row]) => row && storedAnswer(row)),
        Effect.orElseSucceed(() => undefined)
      ),
    wantAnswer: (call) =>
      fleet.isAlone ? Effect.succeed(false) : Effect.as(Effect.ignore(notify(sql, { kind: "answer", call })), true),
    keepAnswer: (call, answer) =>
      answer.bytes.length > maxStoredBytes
        ? Effect.void
        : Effect.ignore(
            rows.query`INSERT INTO answers (call, status, content_type, headers, body) VALUES (${call}, ${answer.status},
              ${answer.contentType ?? null}, ${headersText(answer)}, ${answer.bytes}) ON CONFLICT (call) DO NOTHING`
          ),
    reserve: (exchange, idempotency, attempt) => {
      // Other gateways cannot reach the answers in this one's memory.
      const keepAnswer = idempotency !== undefined || (attempt !== undefined && !fleet.isAlone)
      const reservation = reservationOf(exchange, keepAnswer, models, tagNames, now())
      const free = costsNothing(exchange)
      const command = {
        kind: "reserve",
        now: reservation.createdAt,
        reservation,
        idempotency,
        attempt,
        free
      } as const
      if (!free && waits.isAwaited(reservation.account)) {
        return Effect.mapError(reserveInLine(command), (refused) => tellingCost(refused, exchange.estimate))
      }
      return submit(command, (exit) =>
        Effect.flatMapEager(
          Effect.catchEager(exit, () => refuseAfterFailure(reservation)),
          (result): Effect.Effect<Reserved, Refused> => {
            if (result instanceof Refused) return Effect.fail(tellingCost(result, exchange.estimate))
            const decided = result as Reserved | Short
            return decided.kind === "short" ? waits.enter(command, decided) : Effect.succeed(decided)
          }
        )
      )
    },
    settle: (reservation, settled, by) => charge({ kind: "settle", now: now(), reservation, settled, ...recorded(by) }),
    release: (reservation, status, failed = false, by) =>
      end({ kind: "release", now: now(), reservation, status, failed, ...recorded(by) }),
    refuse: (reservation, by) => end({ kind: "refuse", now: now(), reservation, error: recorded(by).error }),
    markUnknown: (reservation, by) => end({ kind: "mark_unknown", now: now(), reservation, ...recorded(by) }),
    begin: (reservation, begun, answer, by) =>
      charge({
        kind: "begin",
        now: now(),
        reservation,
        begun,
        answer,
        upstream: begun.provider,
        tried: recorded(by).tried
      }),
    finish: (reservation, how) => end({ ...how, now: now(), reservation })
  })
})

/** Nothing that is written with a settlement keeps it from being recorded. */
const withoutRefused = (command: Command, { isRetryable }: SqlError): Command =>
  isRetryable || command.kind !== "settle" || command.settled.also === undefined
    ? command
    : { ...command, settled: { ...command.settled, also: undefined } }

/** Not because it is small: its price is zero. */
const costsNothing = ({ estimate, price, principal }: PricedCall): boolean =>
  principal?.multiplier === 0n || (estimate.most === 0n && contractOf(price).canBeFree(price))

const recorded = ({ error, provider, tried }: Attempted = {}) => ({
  upstream: provider,
  tried: tried && JSON.stringify(tried),
  error: error && encodeError(error)
})

const reservationOf = (
  { cap, estimate, model, operation, principal, requestId, tags }: PricedCall,
  keepAnswer: boolean,
  models: ModelNames,
  tagNames: TagNames,
  now: number
): Reservation => ({
  call: requestId,
  account: principal?.account ?? "",
  key: principal?.key ?? "",
  operation: operation.id,
  model: models.recorded(model, principal?.account ?? "", principal?.key ?? "", now),
  tags: tags && tagNames.recorded(tags, principal?.account ?? "", now),
  amount: roundToMicros(estimate.most),
  // Rounded down, so that no charge exceeds it.
  ...(cap === undefined ? {} : { cap: micro(cap / 1000n) }),
  createdAt: now,
  keepAnswer
})

export const layer: Layer.Layer<Ledger, never, SqlClient | SecureRandom> = Layer.effect(Ledger, make)
