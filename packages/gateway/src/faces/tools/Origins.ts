import * as Headers from "@tollgate/contract/Headers"
import type { Names } from "@tollgate/contract/Names"

/** The origins whose pages may call the tool server. Compared exactly; a request without an origin is no browser's. */
export class Origins {
  readonly list: ReadonlyArray<string>
  readonly #allowed: ReadonlySet<string>

  /** The gateway's own origin counts by its base URL: the `Host` header could be any name that resolves here. */
  constructor(baseUrl: string, others: ReadonlyArray<string>) {
    const own = /^(https?:\/\/[^/?#]+)/i.exec(baseUrl)?.[1]?.toLowerCase()
    this.list = own === undefined ? others : [own, ...others]
    this.#allowed = new Set(this.list)
  }

  allows(origin: string | undefined): boolean {
    return origin === undefined || this.#allowed.has(origin)
  }
}

const exposed = "mcp-session-id, mcp-protocol-version, www-authenticate, retry-after, x-request-id"

/** For an allowed origin. */
export const corsHeaders = (origin: string | undefined): Readonly<Record<string, string>> =>
  origin === undefined
    ? {}
    : { "access-control-allow-origin": origin, "access-control-expose-headers": exposed, vary: "Origin" }

export const preflightHeaders = (origin: string, names: Names): Readonly<Record<string, string>> => ({
  ...corsHeaders(origin),
  "access-control-allow-methods": "POST, DELETE",
  "access-control-allow-headers":
    "authorization, content-type, accept, mcp-session-id, mcp-protocol-version, mcp-method, mcp-name, last-event-id, " +
    Headers.tags.key(names),
  "access-control-max-age": "7200"
})
