/** An answer as a replay returns it. */
export interface StoredAnswer {
  readonly status: number
  readonly contentType: string | undefined
  readonly bytes: Uint8Array
}
