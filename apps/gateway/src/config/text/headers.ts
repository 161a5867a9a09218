import type { Names } from "@tollgate/contract/Names"
import { isForwardable } from "@tollgate/gateway/operator"
import { text } from "./values.ts"

export const isHeaderName = /^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,64}$/

export const HeaderName = text(new RegExp(isHeaderName, "u"), "the name of a header")

export const credentialHeaders = [
  "authorization",
  "proxy-authorization",
  "cookie",
  "set-cookie",
  "x-api-key",
  "x-goog-api-key",
  "api-key",
  "x-forwarded-authorization"
]

/** Those of the gateway's own that could be sent on. */
const own = ["accept", "idempotency-key", "traceparent", "tracestate"]

const isOwn = (name: string, { provider }: Names): boolean => own.includes(name) || !isForwardable(name, provider)

/** Those of one connection, of the gateway's own answers, and what sets cookies or policies for this origin. */
const ownAnswer = new Set([
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
export const answerHeaderProblem = (name: string, names: Names): string | undefined => {
  const lower = name.toLowerCase()
  return ownAnswer.has(lower) || isOwn(lower, names) || answerPrefixes.some((start) => lower.startsWith(start))
    ? "the gateway does not pass this header on"
    : undefined
}

/** Why a caller's header can be neither a parameter nor sent on. */
export const callerHeaderProblem = (name: string, names: Names): string | undefined => {
  const lower = name.toLowerCase()
  if (credentialHeaders.includes(lower)) return "this header holds a caller's credential, which no upstream gets"
  return isOwn(lower, names) ? "the gateway uses this header itself" : undefined
}
