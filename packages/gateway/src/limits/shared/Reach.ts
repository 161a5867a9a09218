import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Result from "effect/Result"
import * as GroupCommit from "@tollgate/ledger/commit/GroupCommit"
import { type Answer, type Command, type End, type Take, type LimitStore, LimitStoreError } from "./Command.ts"

/** A lease that is forgotten here ends with its lifetime. */
const maxEnds = 100_000

/** The most in one round trip. */
const maxSent = 500

/** Ends of leases that the store has not been told of, or may not have been. */
export class UnsentEnds {
  readonly #ends = new Map<string, End>()

  /** Of commands that the store has not got. */
  addUnsent(commands: ReadonlyArray<Command>): void {
    for (const command of commands) if (command.kind === "end") this.#add(command)
  }

  /** Of commands that the store may have got: a lease that may have been granted is released. */
  addUnsure(commands: ReadonlyArray<Command>): void {
    for (const command of commands) this.#add(endOf(command))
  }

  some(): ReadonlyArray<End> {
    const ends: Array<End> = []
    for (const end of this.#ends.values()) if (ends.push(end) === maxSent) break
    return ends
  }

  remove(ends: ReadonlyArray<End>): void {
    for (const { key, lease } of ends) this.#ends.delete(`${key} ${lease}`)
  }

  /** A correction without a lease is dropped: nothing tells whether it was made. */
  #add(end: End): void {
    if (end.lease !== undefined && this.#ends.size < maxEnds) this.#ends.set(`${end.key} ${end.lease}`, end)
  }

  get isEmpty(): boolean {
    return this.#ends.size === 0
  }
}

const endOf = (command: Take | End): End => {
  if (command.kind === "end") return command
  const { key, lease, rpm, tpm } = command
  return { kind: "end", key, rpm, tpm, lease: lease?.id, correction: undefined }
}

export interface Patience {
  /** The longest that a call waits for the store. */
  readonly waitMillis: number
  /** How often a store that is gone is tried. */
  readonly tryMillis: number
}

export const Patience = Context.Reference<Patience>("@tollgate/gateway/limits/Patience", {
  defaultValue: () => ({ waitMillis: 1_000, tryMillis: 500 })
})

const gone = new LimitStoreError({ message: "the store of the limits is gone" })
const silent = new LimitStoreError({ message: "it does not answer" })

/**
 * Reaches the store while it answers. Commands that arrive while others are under way share the next round trip. Once the
 * store fails, nobody waits for it until it answers again; leases that ended meanwhile are then released.
 */
export const make = Effect.fnUntraced(function* (store: LimitStore["Service"]) {
  const run = Effect.runForkWith(yield* Effect.context<never>())
  const patience = yield* Patience
  const ends = new UnsentEnds()
  let isGone = false

  /** Does not wait for an interrupted statement to end. */
  const bounded = (commands: ReadonlyArray<Command>): Effect.Effect<ReadonlyArray<Answer>, LimitStoreError> =>
    Effect.suspend(() => {
      const fiber = run(store.run(commands))
      return Effect.timeoutOrElse(Fiber.join(fiber), {
        duration: patience.waitMillis,
        orElse: () => {
          fiber.interruptUnsafe()
          return Effect.fail(silent)
        }
      })
    })

  const sendEnds: Effect.Effect<void, LimitStoreError> = Effect.suspend(() => {
    const some = ends.some()
    return Effect.flatMap(bounded(some), () => {
      ends.remove(some)
      return ends.isEmpty ? Effect.void : sendEnds
    })
  })

  const untilBack: Effect.Effect<void> = Effect.delay(sendEnds, patience.tryMillis).pipe(
    Effect.matchEffect({
      onFailure: () => untilBack,
      onSuccess: () => {
        isGone = false
        return Effect.logInfo("the store of the limits is back; limits are shared again")
      }
    })
  )
  const scope = yield* Effect.scope

  const setGone = (error: LimitStoreError): Effect.Effect<unknown> => {
    if (isGone) return Effect.void
    isGone = true
    const told = Effect.logWarning("the store of the limits is gone", { reason: error.message })
    return Effect.andThen(told, Effect.forkIn(untilBack, scope))
  }

  type Outcome = Result.Result<Answer, LimitStoreError>
  const decide = (commands: ReadonlyArray<Command>): Effect.Effect<ReadonlyArray<Outcome>> => {
    const failed = (error: LimitStoreError): ReadonlyArray<Outcome> => commands.map(() => Result.fail(error))
    if (isGone) {
      ends.addUnsent(commands)
      return Effect.succeed(failed(gone))
    }
    return Effect.matchEffect(bounded(commands), {
      onSuccess: (answers) => Effect.succeed(answers.map((answer) => Result.succeed(answer))),
      onFailure: (error) => {
        ends.addUnsure(commands)
        return Effect.as(setGone(error), failed(error))
      }
    })
  }
  const submit = yield* GroupCommit.make<Command, Outcome, never>({ all: decide, ordinary: undefined })

  return {
    /** Fails at once while the store is gone. */
    ask: (command: Take): Effect.Effect<Answer, LimitStoreError> =>
      isGone ? Effect.fail(gone) : Effect.flatMap(submit(command), Effect.fromResult),
    /** Is carried out later. */
    send: (end: End): void => {
      if (isGone) ends.addUnsent([end])
      else run(submit(end))
    }
  }
})
