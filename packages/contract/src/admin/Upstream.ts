/** An upstream and how it does: `GET /admin/v1/upstreams`. */
export interface UpstreamHealth {
  readonly name: string
  readonly base_url: string
  /** `closed`: calls are sent. `open`: none is, until `retry_at`. `probing`: one at a time is. `off`: it has no breaker. */
  readonly breaker: "closed" | "open" | "probing" | "off"
  /** Why it is open, in words. */
  readonly cause: string | null
  readonly retry_at: string | null
  readonly connections: { readonly limit: number; readonly busy: number; readonly waiting: number }
  readonly rpm: { readonly limit: number; readonly remaining: number } | null
  /** What it serves. */
  readonly routes: ReadonlyArray<{
    readonly operations: ReadonlyArray<string>
    /** Names, or prefixes that end with `*`. Empty: every model without a route of its own. */
    readonly models: ReadonlyArray<string>
    readonly weight: number
  }>
}

export interface Upstreams {
  readonly upstreams: ReadonlyArray<UpstreamHealth>
}
