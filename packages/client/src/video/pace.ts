import { polling } from "@tollgate/contract/Task"
import * as Effect from "effect/Effect"
import * as Random from "effect/Random"

export interface Pace {
  /** Before the first look. */
  readonly firstMillis?: number
  /** Between two looks: anywhere from the one to the other, so that many waiters do not come together. */
  readonly betweenMillis?: readonly [least: number, most: number]
}

/** Whatever the options say, or fail to say. */
const floored = (millis: number): number => (millis >= polling.floorMillis ? millis : polling.floorMillis)

export const first = ({ firstMillis = polling.recommendedMillis[0] }: Pace): number => floored(firstMillis)

export const between = ({ betweenMillis: [least, most] = polling.recommendedMillis }: Pace): Effect.Effect<number> =>
  Effect.map(Random.next, (random) => floored(least + random * (most - least)))
