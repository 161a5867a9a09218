import type { Policy } from "./Policy.ts"

/** What is left to spend on retries. */
export interface Tokens {
  /** `false`: none is left. */
  readonly take: () => boolean
  readonly succeeded: () => void
}

/** In thousandths, which a sum of tenths does not drift from. */
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
