import { isReadonlyArrayNonEmpty } from "effect/Array"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type { Connection } from "effect/sql/SqlConnection"
import type { SqlError } from "effect/sql/SqlError"
import type { PipelinedStore, Statement, Transact, Transaction } from "@tollgate/gateway/driver"
import type { ClientBase, QueryArrayConfig, QueryResult } from "pg"
import * as Semaphore from "effect/Semaphore"
import { SafeIntegers } from "effect/sql/SqlClient"
import { breaksConnection, isReadOnly, sqlError } from "./error.ts"
import { bigints, numbers } from "./types.ts"

const maxNames = 512
const maxSeen = 4_096

/**
 * Names the statements that are worth preparing: those that run a second time. A server keeps a prepared statement for as
 * long as the connection lives, so there is a limit; what comes after it runs unprepared.
 */
export class StatementNames {
  readonly #names = new Map<string, string>()
  readonly #seen = new Set<string>()

  of(text: string): string | undefined {
    const known = this.#names.get(text)
    if (known !== undefined || this.#names.size >= maxNames) return known
    if (!this.#seen.delete(text)) {
      if (this.#seen.size >= maxSeen) this.#seen.clear()
      this.#seen.add(text)
      return undefined
    }
    const name = `s${this.#names.size}`
    this.#names.set(text, name)
    return name
  }
}

interface InTransaction {
  /** Whether a transaction is open, as far as it can still be ended. */
  readonly isTransaction: () => boolean
}

const batch = 128
let cursors = 0

type Transform = (<A extends object>(rows: ReadonlyArray<A>) => ReadonlyArray<A>) | undefined

/** Reads the rows of a query a batch at a time, in the open transaction or in one of its own. */
const cursor = (
  connection: Pick<Connection, "executeUnprepared"> & InTransaction,
  text: string,
  params: ReadonlyArray<unknown>,
  transform: Transform
): Stream.Stream<object, SqlError> => {
  const name = `tollgate_${cursors++}`
  const control = (statement: string, values: ReadonlyArray<unknown> = []) =>
    connection.executeUnprepared(statement, values, undefined)
  const isOwn = !connection.isTransaction()
  const open = Effect.andThen(
    isOwn ? control("BEGIN READ ONLY") : Effect.void,
    control(`DECLARE ${name} NO SCROLL CURSOR FOR ${text}`, params)
  )
  const close = Effect.suspend(() =>
    connection.isTransaction() ? Effect.ignore(control(isOwn ? "ROLLBACK" : `CLOSE ${name}`)) : Effect.void
  )
  const next = Effect.flatMap(connection.executeUnprepared(`FETCH ${batch} FROM ${name}`, [], transform), (rows) =>
    isReadonlyArrayNonEmpty(rows) ? Effect.succeed(rows) : Cause.done()
  )
  return Stream.ensuring(Stream.unwrap(Effect.as(open, Stream.fromPull(Effect.succeed(next)))), close)
}

type Send = (statement: Statement) => Promise<QueryResult>

const begin = { text: "BEGIN", values: [] }
const commit = { text: "COMMIT", values: [] }
const rollbackStatement = { text: "ROLLBACK", values: [] }

/** Sends all of them before it waits. Throws the first error: the later ones only follow from it. */
const together = async (send: Send, statements: ReadonlyArray<Statement>): Promise<ReadonlyArray<QueryResult>> => {
  const ended = await Promise.allSettled(statements.map(send))
  return ended.map((one) => {
    if (one.status === "rejected") throw one.reason
    return one.value
  })
}

/** `result` is the transaction's. `mistake` is what its own code has thrown; then nothing was written. */
type Ended<A> = { readonly result: A } | { readonly mistake: unknown }

/** Runs a transaction in two round trips. Throws the driver's error; then nothing was written, or it is not known. */
const runPipelined = async <A>(
  send: Send,
  { beforeCommit, decide, reads }: Transaction<A>,
  rolledBack: () => Error
): Promise<Ended<A>> => {
  const asked = reads.filter((read) => read !== undefined)
  let found: ReadonlyArray<QueryResult>
  try {
    found = (await together(send, [begin, ...asked])).slice(1)
  } catch (error) {
    await send(rollbackStatement).catch(() => {})
    throw error
  }
  let decision: ReturnType<typeof decide>
  try {
    let next = 0
    decision = decide(reads.map((read) => (read === undefined ? [] : (found[next++]?.rows ?? []))))
    beforeCommit?.()
  } catch (mistake) {
    await send(rollbackStatement).catch(() => {})
    return { mistake }
  }
  const written = await together(send, [...decision.writes, commit])
  if (written.at(-1)?.command !== "COMMIT") throw rolledBack()
  return { result: decision.result }
}

export interface PostgresConnection extends Connection, InTransaction {
  /** Whether it may be used again. */
  readonly isReusable: () => boolean
  readonly commit: Effect.Effect<void, SqlError>
  readonly transact: Transact
  readonly runAlone: RunAlone
}

export type RunAlone = NonNullable<PipelinedStore["Service"]["runAlone"]>

interface ConnectionOptions {
  readonly names: StatementNames
  /** Asks the server to cancel the statement of this connection. */
  readonly requestCancel: () => Promise<void>
  /** Whether it leads to the server that new connections go to. */
  readonly isWanted: () => boolean
  /** The server takes no writes. */
  readonly onReadOnly: () => void
}

type Answer = Pick<QueryResult, "rows" | "command">
const nothing: Answer = { rows: [], command: "" }

/** How long an interrupted statement may take to end after it was cancelled. */
const cancelMillis = 5_000

/** What a lost connection has done anyway. */
const isUndo = (text: string): boolean => /^(?:ROLLBACK|RELEASE)/.test(text)

/** `text` cannot hold U+0000. */
const bind = (value: unknown): unknown =>
  typeof value === "string" && value.includes("\0") ? value.replaceAll("\0", "\uFFFD") : value

/** `pg` gives a list of results for several statements in one text. */
const lastOf = (result: QueryResult | ReadonlyArray<QueryResult>): QueryResult | undefined =>
  "rows" in result ? result : result.at(-1)

const transformed = (transform: Transform) => (result: Answer) =>
  transform === undefined ? result.rows : transform(result.rows)

export const makeConnection = (
  client: ClientBase,
  { isWanted, names, onReadOnly, requestCancel }: ConnectionOptions
): PostgresConnection => {
  // One statement at a time: fibers may share the connection of a transaction.
  const turn = Semaphore.makeUnsafe(1)
  let isBroken = false
  const onLoss = () => void (isBroken = true)
  client.on("error", onLoss)
  client.on("end", onLoss)
  const onError = (cause: unknown) => {
    if (breaksConnection(cause)) isBroken = true
    if (isReadOnly(cause)) onReadOnly()
  }

  /** Waits until the statement has ended, so that the cancellation cannot hit another one. */
  const cancelled = (ended: Promise<void>): Effect.Effect<void> =>
    Effect.promise(() => Promise.all([ended, requestCancel()])).pipe(
      Effect.timeoutOrElse({ duration: cancelMillis, orElse: () => Effect.sync(onLoss) }),
      Effect.asVoid
    )

  const send = (config: QueryArrayConfig): Effect.Effect<QueryResult, SqlError> =>
    Effect.callback((resume) => {
      let isOver = false
      let over = () => {}
      const ended = new Promise<void>((resolve) => void (over = resolve))
      client.query(config, (error: Error | null, result) => {
        isOver = true
        over()
        if (error === null || error === undefined) return resume(Effect.succeed(lastOf(result) ?? result))
        onError(error)
        resume(Effect.fail(sqlError(error, "execute")))
      })
      return Effect.suspend(() => (isOver ? Effect.void : cancelled(ended)))
    })

  const run = (
    text: string,
    params: ReadonlyArray<unknown>,
    { isArray = false, isPrepared = true } = {}
  ): Effect.Effect<QueryResult, SqlError> =>
    turn.withPermit(
      Effect.withFiber((fiber) => {
        const types = fiber.getRef(SafeIntegers) ? bigints : numbers
        const name = isPrepared ? names.of(text) : undefined
        return send({
          text,
          types,
          ...(params.length === 0 ? {} : { values: params.map(bind) }),
          ...(name === undefined ? {} : { name }),
          ...(isArray ? { rowMode: "array" } : {})
        } as QueryArrayConfig)
      })
    )

  const unprepared = (text: string, params: ReadonlyArray<unknown>): Effect.Effect<Answer, SqlError> => {
    const effect = run(text, params, { isPrepared: false })
    if (!isUndo(text)) return effect
    return Effect.catch(effect, (error) => (isBroken ? Effect.succeed(nothing) : Effect.fail(error)))
  }

  const sendInPipeline: Send = ({ text, values }) =>
    new Promise((resolve, reject) => {
      const name = names.of(text)
      client.query(
        {
          text,
          types: bigints,
          ...(values.length === 0 ? {} : { values: values.map(bind) }),
          ...(name === undefined ? {} : { name })
        } as QueryArrayConfig,
        (error: Error | null, result) =>
          error === null || error === undefined ? resolve(lastOf(result) ?? result) : reject(error)
      )
    })

  const failed = (operation: string) => (cause: unknown) => {
    onError(cause)
    return sqlError(cause, operation)
  }

  const transact: Transact = (transaction) =>
    turn.withPermit(
      Effect.tryPromise({
        try: () => runPipelined(sendInPipeline, transaction, rolledBack),
        catch: failed("transact")
      }).pipe(
        Effect.flatMap((ended) => ("result" in ended ? Effect.succeed(ended.result) : Effect.die(ended.mistake))),
        Effect.uninterruptible
      )
    )

  /** Outside a transaction, so the server begins and commits one of its own. */
  const runAlone: RunAlone = (statement) =>
    turn.withPermit(
      Effect.uninterruptible(
        Effect.tryPromise({ try: () => sendInPipeline(statement), catch: failed("execute") }).pipe(
          Effect.map(({ rows }) => rows)
        )
      )
    )

  const connection: PostgresConnection = {
    transact,
    runAlone,
    isTransaction: () => !isBroken && client.getTransactionStatus() !== "I",
    isReusable: () => !isBroken && isWanted() && client.getTransactionStatus() === "I",
    // PostgreSQL answers the COMMIT of a failed transaction with a ROLLBACK and no error.
    commit: Effect.flatMap(unprepared("COMMIT", []), ({ command }) =>
      command === "COMMIT" ? Effect.void : Effect.fail(sqlError(rolledBack(), "commit"))
    ),
    execute: (text, params, transform) => Effect.map(run(text, params), transformed(transform)),
    executeUnprepared: (text, params, transform) => Effect.map(unprepared(text, params), transformed(transform)),
    executeRaw: (text, params) => run(text, params),
    executeValues: (text, params) => Effect.map(run(text, params, { isArray: true }), ({ rows }) => rows),
    executeValuesUnprepared: (text, params) =>
      Effect.map(run(text, params, { isArray: true, isPrepared: false }), ({ rows }) => rows),
    executeStream: (text, params, transform) => Stream.suspend(() => cursor(connection, text, params, transform))
  }
  return connection
}

const rolledBack = () =>
  Object.assign(new Error("a statement of the transaction failed, so it was rolled back"), { code: "25P02" })
