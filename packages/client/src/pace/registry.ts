import * as Clock from "effect/Clock"
import { RateLimiter } from "./RateLimiter.ts"

/** Unused limiters are dropped after this time; their buckets are full again by then. */
const idleMillis = 600_000

/** By clock: times of different clocks cannot be compared. */
const all = new WeakMap<Clock.Clock, Map<string, RateLimiter>>()

/** A 64-bit digest, so that no credential is kept in memory. */
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

/** The limiter of a credential and address, shared by all clients. */
export const limiterOf = (clock: Clock.Clock, address: string, credential: string): RateLimiter => {
  const limiters = all.get(clock) ?? new Map<string, RateLimiter>()
  const key = `${digest(credential)} ${address}`
  const known = limiters.get(key)
  if (known !== undefined) return known
  const now = clock.currentTimeMillisUnsafe()
  for (const [key, { busy, usedAt }] of limiters) if (busy === 0 && now - usedAt > idleMillis) limiters.delete(key)
  const limiter = new RateLimiter(clock)
  all.set(clock, limiters.set(key, limiter))
  return limiter
}
