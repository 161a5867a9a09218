import * as Clock from "effect/Clock"
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

/** Where progress is shown. */
export const ProgressTerminal = Context.Reference<ProgressTerminal | undefined>("@tollgate/cli/ProgressTerminal", {
  defaultValue: standardError
})

const removeLine = "\r\u001b[K"

const counts = new Intl.NumberFormat("en-US")

export const countOf = (count: number): string => counts.format(count)

export const sizeOf = (bytes: number): string => `${counts.format(Math.round(bytes / 100_000) / 10)} MB`

/** The last column stays empty: a full line would wrap. */
const draw = ({ columns, write }: ProgressTerminal, text: string, seconds: number) => {
  const line = `${plain(text)} …${seconds < 2 ? "" : ` ${seconds} s`}`
  write(`\r${[...line].slice(0, Math.max(0, columns() - 1)).join("")}\u001b[K`)
}

/**
 * Shows on one line of a terminal what a command does, and removes the line at the end. `say` replaces the text. The first
 * text is drawn at once, because the work may block this thread.
 */
export const withProgress = <A, E, R>(
  first: string,
  work: (say: (text: string) => void) => Effect.Effect<A, E, R>
): Effect.Effect<A, E, R> =>
  Effect.gen(function* () {
    const terminal = yield* ProgressTerminal
    if (terminal === undefined) return yield* work(() => {})
    const started = yield* Clock.currentTimeMillis
    let text = first
    const drawNow = Effect.map(Clock.currentTimeMillis, (now) =>
      draw(terminal, text, Math.floor((now - started) / 1_000))
    )
    return yield* Effect.andThen(
      drawNow,
      Effect.raceFirst(
        work((next) => (text = next)),
        Effect.forever(Effect.delay(drawNow, "250 millis"))
      )
    ).pipe(Effect.ensuring(Effect.sync(() => terminal.write(removeLine))))
  })
