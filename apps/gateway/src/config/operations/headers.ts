import type { Names } from "@tollgate/contract/Names"

const secret = [
  "authorization",
  "proxy-authorization",
  "cookie",
  "set-cookie",
  "x-api-key",
  "x-goog-api-key",
  "api-key",
  "x-forwarded-authorization"
]

const own = [
  "host",
  "connection",
  "content-length",
  "content-type",
  "content-encoding",
  "transfer-encoding",
  "accept",
  "accept-encoding",
  "expect",
  "te",
  "trailer",
  "upgrade",
  "keep-alive",
  "forwarded",
  "http2-settings",
  "via",
  "idempotency-key",
  "x-request-id",
  "traceparent",
  "tracestate"
]

const ownPrefixes = ["proxy-", "x-forwarded-"]

/** Why a caller's header can be neither a parameter nor sent on. */
export const callerHeaderProblem = (name: string, { provider }: Names): string | undefined => {
  const lower = name.toLowerCase()
  if (secret.includes(lower)) return "this header holds a caller's credential, which no upstream gets"
  return own.includes(lower) ||
    [`x-${provider.toLowerCase()}-`, ...ownPrefixes].some((start) => lower.startsWith(start))
    ? "the gateway uses this header itself"
    : undefined
}
