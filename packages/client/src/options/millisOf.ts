import * as Duration from "effect/Duration"

/** The longest that a runtime's timer can wait. */
const longest = 2 ** 31 - 1

/** Milliseconds of a duration that a caller wrote. Throws if it is none. */
export const millisOf = (duration: Duration.Input): number => Math.min(longest, Duration.toMillis(duration))
