/** From 0 to 1. */
export type Random = () => number

/** Mulberry32: the same sequence for the same seed. */
export const seeded = (seed: number): Random => {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296
  }
}

export const pick = <A>(random: Random, from: ReadonlyArray<A>): A => {
  const found = from[Math.floor(random() * from.length)]
  if (found === undefined) throw new Error("nothing to pick from")
  return found
}

export const pause = (millis: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, millis))
