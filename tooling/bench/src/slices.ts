import * as Effect from "effect/Effect"

/** The processor time of a call in a slice of work. */
export const inSlice = Effect.fnUntraced(function* <E, R>(slice: Effect.Effect<void, E, R>, calls: number) {
  const before = process.cpuUsage()
  yield* slice
  const { system, user } = process.cpuUsage(before)
  return (system + user) / calls
})

/** Runs a slice of work many times. Returns the processor time of a call in the quickest slices, in words. */
export const inSlices = Effect.fnUntraced(function* <E, R>(
  slice: Effect.Effect<void, E, R>,
  slices: number,
  callsOfSlice: number
) {
  const taken: Array<number> = []
  for (let i = 0; i < slices; i++) taken.push(yield* inSlice(slice, callsOfSlice))
  taken.sort((a, b) => a - b)
  const at = (share: number) => (taken[Math.floor(taken.length * share)] ?? Number.NaN).toFixed(1)
  return `${slices} slices: lowest ${at(0)}, tenth ${at(0.1)}, median ${at(0.5)}`
})
