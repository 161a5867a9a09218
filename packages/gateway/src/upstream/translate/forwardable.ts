/** Credentials, what belongs to one connection, and what the gateway sets itself. */
const kept = new Set([
  "accept-encoding",
  "api-key",
  "authorization",
  "connection",
  "content-encoding",
  "content-length",
  "content-type",
  "cookie",
  "expect",
  "forwarded",
  "host",
  "http2-settings",
  "keep-alive",
  "set-cookie",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
  "via",
  "x-api-key",
  "x-goog-api-key",
  "x-request-id"
])

const keptPrefixes = ["proxy-", "x-forwarded-"]

/** Whether a header of the caller may be sent on. `name` is in lower case; `provider` is the gateway's name in headers. */
export const isForwardable = (name: string, provider: string): boolean =>
  /^[!#$%&'*+.^_`|~a-z0-9-]+$/.test(name) &&
  !kept.has(name) &&
  !name.startsWith(`x-${provider.toLowerCase()}-`) &&
  !keptPrefixes.some((prefix) => name.startsWith(prefix))

/** Text that a header can hold: a tab, and Latin-1 without control characters. */
export const isHeaderValue = (text: string): boolean => /^[\t\x20-\x7e\x80-\xff]*$/.test(text)
