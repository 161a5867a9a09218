/** A limit per minute. */
export interface RateState {
  readonly limit: number
  readonly remaining: number
  /** Unix milliseconds at which all of it is available again. */
  readonly full_at: number
}

/** The limits of a key as they stand: `GET /account/v1/limits`. */
export interface LimitState {
  /** Unix milliseconds by the gateway's clock. */
  readonly now: number
  readonly requests: RateState
  readonly tokens: RateState
  readonly concurrency: { readonly limit: number; readonly running: number }
  /** Operations with a limit of their own, if one was called lately. */
  readonly groups: ReadonlyArray<RateState & { readonly id: string }>
  readonly tasks: { readonly limit: number; readonly running: number }
}
