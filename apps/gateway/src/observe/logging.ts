import { Family } from "@tollgate/gateway/driver"
import * as Context from "effect/Context"
import { type CallEvent, OnCallEnded } from "@tollgate/gateway"
import { callEntry, entryOf, isLogged, lineOf } from "@tollgate/gateway/observe"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as LogLevel from "effect/LogLevel"
import { MinimumLogLevel } from "effect/References"
import type { LogSettings } from "../settings/Settings.ts"

/** Counts what was dropped, because nobody took it in time. */
export interface DropCounter {
  readonly kind: "log_line" | "span"
  readonly count: () => number
}

/** Of the log and of the traces. Each adds its own. */
export const Dropped = Context.Reference<ReadonlyArray<DropCounter>>("@tollgate/cli/observe/Dropped", {
  defaultValue: () => []
})

export const droppedFamily = (counters: ReadonlyArray<DropCounter>): Family.Family =>
  Family.counter(
    "tollgate_telemetry_dropped_total",
    "Log lines and spans that were dropped, because nobody took them in time.",
    counters.map(({ count, kind }) => ({ labels: { kind }, value: count() }))
  )

interface Target {
  readonly writableLength: number
  readonly write: (text: string) => boolean
}

/** Lines that wait for a reader, in bytes. */
const mostWaiting = 1_048_576

/** Writes lines without waiting. While nobody reads them, they wait up to a bound; further ones are dropped and counted. */
export class LineWriter {
  readonly #target: Target
  readonly #lineOfDropped: (dropped: number) => string
  /** Since the last line that told of them. */
  #untold = 0
  #dropped = 0

  constructor(target: Target, lineOfDropped: (dropped: number) => string) {
    this.#target = target
    this.#lineOfDropped = lineOfDropped
  }

  get dropped(): number {
    return this.#dropped
  }

  write(line: string): void {
    if (this.#target.writableLength >= mostWaiting) {
      this.#dropped++
      this.#untold++
      return
    }
    if (this.#untold > 0) {
      this.#target.write(this.#lineOfDropped(this.#untold))
      this.#untold = 0
    }
    this.#target.write(line)
  }
}

/** Everything that is logged goes to standard output, one entry on each line. */
export const logging = ({ calls, format, level }: LogSettings): Layer.Layer<never> => {
  const writer = new LineWriter(process.stdout, (lines) =>
    lineOf(format, { at: new Date(), level: "Warn", message: "log lines were dropped", fields: { lines } })
  )
  const logger = Logger.make<unknown, void>((options) => writer.write(lineOf(format, entryOf(options))))
  const onCallEnded = (clock: Clock.Clock) => (event: CallEvent) => {
    if (!isLogged(event, calls)) return
    const entry = callEntry(event, clock.currentTimeMillisUnsafe())
    if (LogLevel.isGreaterThanOrEqualTo(entry.level, level)) writer.write(lineOf(format, entry))
  }
  const ofCalls =
    calls === "none"
      ? Layer.empty
      : Layer.effect(
          OnCallEnded,
          Effect.map(Effect.all([OnCallEnded, Clock.Clock]), ([others, clock]) => [...others, onCallEnded(clock)])
        )
  const dropped = Layer.effect(
    Dropped,
    Effect.map(Dropped, (others): ReadonlyArray<DropCounter> => [
      ...others,
      { kind: "log_line", count: () => writer.dropped }
    ])
  )
  return Layer.mergeAll(Logger.layer([logger]), Layer.succeed(MinimumLogLevel, level), ofCalls, dropped)
}
