/** The part of the platform's `AbortSignal` that is used here. */
export interface AbortSignalLike {
  readonly aborted: boolean
  readonly reason: unknown
  readonly addEventListener: (type: "abort", listener: () => void, options?: { readonly once: boolean }) => void
  readonly removeEventListener: (type: "abort", listener: () => void) => void
}

/** What promises add to the options of a function. */
export interface Abortable {
  /** Aborting stops the call and closes its connection. */
  readonly signal?: AbortSignalLike
}
