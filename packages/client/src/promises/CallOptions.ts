/** The part of the platform's `AbortSignal` that is used here. */
export interface AbortSignalLike {
  readonly aborted: boolean
  readonly reason: unknown
  readonly addEventListener: (type: "abort", listener: () => void, options?: { readonly once: boolean }) => void
  readonly removeEventListener: (type: "abort", listener: () => void) => void
}

export interface CallOptions {
  /** Aborting stops the call and closes its connection. */
  readonly signal?: AbortSignalLike
  /** Replaces the generated key. The same key and input get the stored answer and are not charged again. */
  readonly idempotencyKey?: string
  /** The most that the call may cost, in decimal USD. A call that can cost more is refused before anything is spent. */
  readonly maxPrice?: string
}
