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

/** Those of one connection, of the gateway's own answers, and what sets cookies or policies for this origin. */
const ownAnswer = new Set([
  ...own,
  "set-cookie",
  "set-cookie2",
  "www-authenticate",
  "strict-transport-security",
  "referrer-policy",
  "feature-policy",
  "require-document-policy",
  "origin-agent-cluster",
  "nel",
  "report-to",
  "reporting-endpoints",
  "accept-ch",
  "critical-ch",
  "set-login",
  "activate-storage-access",
  "use-as-dictionary",
  "speculation-rules",
  "sourcemap",
  "x-sourcemap",
  "x-frame-options",
  "x-content-type-options",
  "x-should-retry",
  "idempotent-replayed",
  "alt-svc",
  "clear-site-data",
  "date",
  "server",
  "refresh",
  "service-worker-allowed"
])

/** Limits are those of the operator's account at the upstream, not the caller's. A policy may end in `-report-only`. */
const answerPrefixes = [
  ...ownPrefixes,
  "access-control-",
  "cross-origin-",
  "content-security-policy",
  "permissions-policy",
  "document-policy",
  "sec-session-",
  "secure-session-",
  "x-ratelimit",
  "ratelimit",
  "x-rate-limit"
]

/** Why a header of an upstream's answer cannot be passed on. */
export const answerHeaderProblem = (name: string, { provider }: Names): string | undefined => {
  const lower = name.toLowerCase()
  return ownAnswer.has(lower) ||
    [`x-${provider.toLowerCase()}-`, ...answerPrefixes].some((start) => lower.startsWith(start))
    ? "the gateway does not pass this header on"
    : undefined
}

/** Why a caller's header can be neither a parameter nor sent on. */
export const callerHeaderProblem = (name: string, { provider }: Names): string | undefined => {
  const lower = name.toLowerCase()
  if (secret.includes(lower)) return "this header holds a caller's credential, which no upstream gets"
  return own.includes(lower) ||
    [`x-${provider.toLowerCase()}-`, ...ownPrefixes].some((start) => lower.startsWith(start))
    ? "the gateway uses this header itself"
    : undefined
}
