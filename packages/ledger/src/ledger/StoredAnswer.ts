/** An answer as a replay returns it. */
export interface StoredAnswer {
  readonly status: number
  readonly contentType: string | undefined
  /** Those that describe the body, and those that the operation names. */
  readonly headers?: Readonly<Record<string, string>>
  readonly bytes: Uint8Array
}

/** Most answers have none. */
export const headersText = ({ headers }: StoredAnswer): string | null => {
  for (const _ in headers) return JSON.stringify(headers)
  return null
}
