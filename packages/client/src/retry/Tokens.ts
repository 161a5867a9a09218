import type { Policy } from "./Policy.ts"

/** A client's retry budget. */
export interface Tokens {
  /** Takes one token; `false` if none is left. */
  readonly take: () => boolean
  readonly succeeded: () => void
}

/** Counted in thousandths, so that sums of tenths do not drift. */
const unit = 1_000

export const make = ({ perSuccess, tokens }: Policy["budget"]): Tokens => {
  const most = tokens * unit
  let left = most
  return {
    take: () => {
      if (left < unit) return false
      left -= unit
      return true
    },
    succeeded: () => {
      left = Math.min(most, left + Math.round(perSuccess * unit))
    }
  }
}
