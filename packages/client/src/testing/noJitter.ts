import * as Layer from "effect/Layer"
import * as Random from "effect/Random"

/** Waits are as long as they are on average, so that a test can name them. */
export const noJitter: Layer.Layer<never> = Layer.succeed(Random.Random, {
  nextDoubleUnsafe: () => 0.5,
  nextIntUnsafe: () => 0
})
