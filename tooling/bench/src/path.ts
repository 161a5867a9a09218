import { NodeRuntime } from "@tollgate/server"
import * as Effect from "effect/Effect"
import { withBilledCall } from "./billedCall.ts"
import { inSlices } from "./slices.ts"

// The processor time of a billed call in the quickest slices: what disturbs a machine only makes slices slower.
const slices = Number(process.argv[2] ?? 700)
NodeRuntime.stayReady()

const callers = 32
const callsOfEach = 4

NodeRuntime.runMain(
  withBilledCall((call) => {
    const caller = Effect.forEach(Array.from({ length: callsOfEach }), () => call, { discard: true })
    const slice = Effect.all(
      Array.from({ length: callers }, () => caller),
      { concurrency: "unbounded", discard: true }
    )
    return Effect.map(inSlices(slice, slices, callers * callsOfEach), (figures) => console.log(`µs a call, ${figures}`))
  })
)
