/** A request and its answer, as they passed the proxy. Header names are in lower case. */
export interface Exchange {
  readonly method: string
  /** Path and query. */
  readonly url: string
  readonly requestHeaders: Readonly<Record<string, string>>
  readonly requestBody: Uint8Array
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array
  /** The test made the upstream answer something of its own, which the gateway hands on. */
  readonly fromUpstream: boolean
}

export const mediaTypeOf = (headers: Exchange["headers"]): string =>
  (headers["content-type"] ?? "").replace(/;.*/s, "").trim().toLowerCase()
