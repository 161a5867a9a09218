export interface Idempotency {
  /** The caller's key, hashed together with account and operation. */
  readonly id: string
  /** A digest of the request. The same key must come with the same request. */
  readonly payload: string
  /** Whether to replay the answer of a completed call instead of refusing with 409. */
  readonly replay: boolean
}
