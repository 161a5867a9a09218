import * as Effect from "effect/Effect"

const largeBytes = 256 * 1024

/** The passes over a body of this size take turns with those of other requests. */
export const isLarge = (bytes: Uint8Array): boolean => bytes.length >= largeBytes

/**
 * Long computations take turns: one at a time, each in its own tick of the event loop, so that other requests are served in
 * between however many large bodies there are.
 */
export class Turns {
  readonly #waiting: Array<() => void> = []
  #isRunning = false

  /** Waits for the next turn. It lasts until the fiber waits for something. */
  readonly next: Effect.Effect<void> = Effect.callback((resume) => {
    this.#waiting.push(() => resume(Effect.void))
    if (this.#isRunning) return
    this.#isRunning = true
    Effect.runFork(this.#run)
  })

  /** Runs a computation slice by slice, each in a turn of its own. */
  inSlices<A>(slices: Generator<void, A>): Effect.Effect<A> {
    return Effect.flatMap(this.next, () => {
      const slice = slices.next()
      return slice.done === true ? Effect.succeed(slice.value) : this.inSlices(slices)
    })
  }

  readonly #run: Effect.Effect<void> = Effect.suspend(() =>
    Effect.flatMap(Effect.yieldNow, () => {
      const turn = this.#waiting.shift()
      this.#isRunning = turn !== undefined
      if (turn === undefined) return Effect.void
      turn()
      return this.#run
    })
  )
}

export const turns = new Turns()
