const second = 1_000
const minute = 60 * second
const hour = 60 * minute

/** The pauses after each failed attempt. After the last of them there is one more attempt. */
const pauses = [5 * second, 5 * minute, 30 * minute, 2 * hour, 5 * hour, 10 * hour, 10 * hour]

/** Added at random, so that what failed together is not sent again together. */
const jitter = 0.1

/** How long to wait after that many attempts; `random` is from 0 to 1. `undefined`: give up. */
export const pauseAfter = (attempts: number, random: number): number | undefined => {
  const pause = pauses[attempts - 1]
  return pause === undefined ? undefined : pause + Math.floor(pause * jitter * random)
}
