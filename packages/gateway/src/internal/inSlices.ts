import * as Effect from "effect/Effect"

/** How many items are handled before other requests get a turn of the event loop. */
const atATime = 20

/** Applies `f` to each item, for work that would hold the event loop for long if it were done at once. */
export const inSlices = Effect.fnUntraced(function* <A>(items: Iterable<A>, f: (item: A) => void) {
  let count = 0
  for (const item of items) {
    f(item)
    if (++count % atATime === 0) yield* Effect.yieldNow
  }
})
