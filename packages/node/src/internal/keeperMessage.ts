import type { Command, Result } from "@tollgate/gateway/ledger/Command"
import type { StoredAnswer } from "@tollgate/gateway/ledger/Ledger"
import { Refused } from "@tollgate/gateway/Refused"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Schema from "effect/Schema"
import { SqlError } from "effect/sql/SqlError"

/** What the worker opens. */
export interface Store {
  readonly filename: string
  readonly busyMillis: number
}

/** A group of commands; `undefined` in its place asks the worker to close the store and end. */
export interface Group {
  readonly commands: ReadonlyArray<Command>
  readonly owner: string
}

/** A result as plain data: an error would arrive without its fields. */
type Sent =
  | Exclude<Result, Refused | { readonly kind: "reserved" }>
  | "reserved"
  | { readonly refused: Pick<Refused, "refusal" | "headers"> }

type Failure =
  | { readonly is: "failed"; readonly error: typeof SqlError.Encoded }
  | { readonly is: "died"; readonly why: string }

/** To a group; also, with no results, when the store has been opened. */
export type Reply = { readonly is: "done"; readonly results: ReadonlyArray<Sent> } | Failure

const nothing = new Uint8Array()

/** Cloning a view clones all that it is a view of: for a small answer that may be the buffer of many. */
const whole = (bytes: Uint8Array): Uint8Array =>
  bytes.byteLength === bytes.buffer.byteLength ? bytes : new Uint8Array(bytes)

/** Without the answers that nobody will ask for again, which are most of what a command weighs. */
export const commandSent = (command: Command): Command => {
  const kept = (answer: StoredAnswer): StoredAnswer => ({
    ...answer,
    bytes: command.reservation.keepAnswer ? whole(answer.bytes) : nothing
  })
  if (command.ask === "settle") {
    return { ...command, settled: { ...command.settled, answer: kept(command.settled.answer) } }
  }
  return command.ask === "begin" ? { ...command, answer: kept(command.answer) } : command
}

const resultSent = (result: Result): Sent => {
  if (result instanceof Refused) return { refused: { refusal: result.refusal, headers: result.headers } }
  return "kind" in result && result.kind === "reserved" ? result.kind : result
}

const resultOf = (sent: Sent, { reservation }: Command): Result => {
  if (sent === "reserved") return { kind: sent, reservation }
  return "refused" in sent ? new Refused(sent.refused) : sent
}

const encodeError = Schema.encodeSync(SqlError)
const decodeError = Schema.decodeSync(SqlError)

export const replyTo = (exit: Exit.Exit<ReadonlyArray<Result>, SqlError>): Reply => {
  if (Exit.isSuccess(exit)) return { is: "done", results: exit.value.map(resultSent) }
  const error = Cause.squash(exit.cause)
  return error instanceof SqlError
    ? { is: "failed", error: encodeError(error) }
    : { is: "died", why: Cause.pretty(exit.cause) }
}

/** What the worker did with the commands. */
export const outcomeOf = (
  reply: Reply,
  commands: ReadonlyArray<Command>
): Effect.Effect<ReadonlyArray<Result>, SqlError> => {
  switch (reply.is) {
    case "done":
      return Effect.succeed(reply.results.map((sent, i) => resultOf(sent, commands[i]!)))
    case "failed":
      return Effect.fail(decodeError(reply.error))
    case "died":
      return Effect.die(new Error(reply.why))
  }
}
