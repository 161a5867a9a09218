import { Family } from "@tollgate/gateway/driver"
import * as Context from "effect/Context"

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
