/** A request of an SDK that counts its attempts at one call, in `X-Stainless-Retry-Count`. */
export interface Attempt {
  /** A digest of credential, operation and request: all attempts at a call have the same. */
  readonly digest: string
  /** 0: the first one, which is a call of its own unless a repeat has overtaken it. */
  readonly count: number
  /** When its first bytes arrived. */
  readonly since: number
  /** The call that this attempt belongs to, if that was decided before. */
  readonly of?: string
  /** Whether it is known to repeat a request that was not executed: then it is a call of its own. */
  readonly isNew?: boolean
  /** Whether the gateway has the answer of a call in memory. */
  readonly holds: (call: string) => boolean
}
