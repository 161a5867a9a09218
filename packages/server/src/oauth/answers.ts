import { nosniff } from "@tollgate/gateway"
import * as HttpServerResponse from "effect/http/HttpServerResponse"

/** Any origin may call what no cookie opens. */
export const anyOrigin = { "access-control-allow-origin": "*" }

/** An error as OAuth shapes it. */
export const oauthError = (
  status: number,
  error: string,
  error_description: string,
  headers: Readonly<Record<string, string>> = {}
): HttpServerResponse.HttpServerResponse =>
  HttpServerResponse.jsonUnsafe(
    { error, error_description },
    { status, headers: { ...nosniff, ...anyOrigin, "cache-control": "no-store", ...headers } }
  )

export const retryAfter = (waitMillis: number) => ({ "retry-after": String(Math.ceil(waitMillis / 1_000)) })

export const tooMany = (waitMillis: number): HttpServerResponse.HttpServerResponse =>
  oauthError(
    429,
    "temporarily_unavailable",
    "too many requests came from this address; slow down",
    retryAfter(waitMillis)
  )

export const preflight: HttpServerResponse.HttpServerResponse = HttpServerResponse.empty({
  status: 204,
  headers: {
    ...nosniff,
    ...anyOrigin,
    "access-control-allow-methods": "GET, POST",
    "access-control-allow-headers": "authorization, content-type, mcp-protocol-version",
    "access-control-max-age": "7200"
  }
})
