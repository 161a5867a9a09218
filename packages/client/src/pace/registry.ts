import * as Clock from "effect/Clock"
import { Pace } from "./Pace.ts"

/** What nobody has used for so long is forgotten: its buckets are full by then. */
const idleMillis = 600_000

/** By clock: the times of one say nothing to another. */
const all = new WeakMap<Clock.Clock, Map<string, Pace>>()

/** So that no credential is kept: 64 bits of it tell two apart and do not give one away. */
const digest = (text: string): string => {
  let one = 0x811c9dc5
  let other = 0x9e3779b1
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i)
    one = Math.imul(one ^ unit, 0x01000193)
    other = Math.imul((other << 5) ^ (other >>> 27) ^ unit, 0x85ebca77)
  }
  return `${one >>> 0}.${other >>> 0}`
}

/** One for each credential and address, whichever clients use them. */
export const paceOf = (clock: Clock.Clock, address: string, credential: string): Pace => {
  const paces = all.get(clock) ?? new Map<string, Pace>()
  const key = `${digest(credential)} ${address}`
  const known = paces.get(key)
  if (known !== undefined) return known
  const now = clock.currentTimeMillisUnsafe()
  for (const [key, { busy, usedAt }] of paces) if (busy === 0 && now - usedAt > idleMillis) paces.delete(key)
  const pace = new Pace(clock)
  all.set(clock, paces.set(key, pace))
  return pace
}
