import { polling } from "@tollgate/contract/Task"
import * as Effect from "effect/Effect"
import * as Random from "effect/Random"

export interface PollInterval {
  /** Before the first poll. */
  readonly firstMillis?: number
  /** Between two polls: a random time in this range, so that many callers do not poll at once. */
  readonly betweenMillis?: readonly [least: number, most: number]
}

/** Never shorter than the gateway's minimum, also for NaN. */
const floored = (millis: number): number => (millis >= polling.floorMillis ? millis : polling.floorMillis)

export const first = ({ firstMillis = polling.recommendedMillis[0] }: PollInterval): number => floored(firstMillis)

export const between = ({
  betweenMillis: [least, most] = polling.recommendedMillis
}: PollInterval): Effect.Effect<number> => Effect.map(Random.next, (random) => floored(least + random * (most - least)))
