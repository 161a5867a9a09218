import { type CallEvent, OnCallEnded } from "@tollgate/gateway"
import { callEntry, entryOf, isLogged, lineOf } from "@tollgate/gateway/observe"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as LogLevel from "effect/LogLevel"
import { MinimumLogLevel } from "effect/References"
import { type DropCounter, Dropped } from "./Dropped.ts"
import { LineWriter } from "./LineWriter.ts"
import type { LogSettings } from "../settings/logSettings.ts"

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
