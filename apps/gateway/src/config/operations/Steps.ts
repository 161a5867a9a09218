import * as Effect from "effect/Effect"

/** A computation that can pause between its steps. */
export type Steps<A> = Generator<void, A, void>

export const atOnce = <A>(steps: Steps<A>): A => {
  for (;;) {
    const step = steps.next()
    if (step.done === true) return step.value
  }
}

/** About two milliseconds, if a step is an operation. */
const stepsInTurn = 10

/** In turns with all else that the thread does: with thousands of steps, callers would wait. */
export const inTurns = Effect.fnUntraced(function* <A>(steps: Steps<A>) {
  for (let taken = 1; ; taken++) {
    const step = steps.next()
    if (step.done === true) return step.value
    if (taken % stepsInTurn === 0) yield* Effect.yieldNow
  }
})
