import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import { plain } from "./print.ts"

export interface ProgressTerminal {
  readonly columns: () => number
  readonly write: (text: string) => void
}

/** `undefined`: a program reads standard error, or the terminal cannot remove a line. Some terminals have no width: 0. */
const standardError = (): ProgressTerminal | undefined =>
  process.stderr.isTTY && process.env["TERM"] !== "dumb"
    ? { columns: () => process.stderr.columns || 80, write: (text) => process.stderr.write(text) }
    : undefined

export const ProgressTerminal = Context.Reference<ProgressTerminal | undefined>("@tollgate/cli/ProgressTerminal", {
  defaultValue: standardError
})

/** Shows on one line of a terminal what a command does, and removes the line at the end. */
export const withProgress = <A, E, R>(text: string, work: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.flatMap(ProgressTerminal, (terminal) => {
    if (terminal === undefined) return work
    // The last column stays empty: a full line would wrap.
    const line = [...`${plain(text)} …`].slice(0, Math.max(0, terminal.columns() - 1)).join("")
    return Effect.sync(() => terminal.write(`\r${line}\u001b[K`)).pipe(
      Effect.andThen(work),
      Effect.ensuring(Effect.sync(() => terminal.write("\r\u001b[K")))
    )
  })
