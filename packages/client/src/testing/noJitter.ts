import * as Layer from "effect/Layer"
import * as Random from "effect/Random"

/** Every wait has its average length, so that a test can expect it. */
export const noJitter: Layer.Layer<never> = Layer.succeed(Random.Random, {
  nextDoubleUnsafe: () => 0.5,
  nextIntUnsafe: () => 0
})
