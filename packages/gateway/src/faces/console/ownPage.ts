import type { HttpServerRequest } from "effect/http/HttpServerRequest"

/** Only a page of this origin can send it with the cookie: no form can, and no other site is allowed to. */
export const header = "x-tollgate-console"

/** Where browsers reach the gateway. */
export interface Site {
  readonly origin: string
  readonly isSecure: boolean
}

const originPattern = /^(https?):\/\/([^/]+)/

export const siteAt = (baseUrl: string): Site => {
  const [origin = "", scheme] = originPattern.exec(baseUrl) ?? []
  return { origin, isSecure: scheme === "https" }
}

const hostOf = (origin: string): string | undefined => originPattern.exec(origin)?.[2]

/** Whether a page of this gateway sent the request. Browsers set `Sec-Fetch-Site` and `Origin`, and pages cannot. */
export const isOwnPage = ({ headers, method }: HttpServerRequest, site: Site): boolean => {
  if (headers[header] === undefined) return false
  const from = headers["sec-fetch-site"]
  if (from !== undefined) return from === "same-origin"
  // Browsers leave it out where the address is neither https nor on the same machine.
  const { host, origin } = headers
  if (origin !== undefined) return origin === site.origin || (host !== undefined && hostOf(origin) === host)
  return method === "GET"
}
