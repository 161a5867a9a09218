/** The values of the rate-limit headers. Each may be missing. */
export interface RateLimits {
  readonly limitRequests?: number
  readonly remainingRequests?: number
  /** Unix seconds. */
  readonly resetRequests?: number
  readonly limitTokens?: number
  readonly remainingTokens?: number
  /** Unix seconds. */
  readonly resetTokens?: number
}

export const headerNames = {
  limitRequests: "X-RateLimit-Limit-Requests",
  remainingRequests: "X-RateLimit-Remaining-Requests",
  resetRequests: "X-RateLimit-Reset-Requests",
  limitTokens: "X-RateLimit-Limit-Tokens",
  remainingTokens: "X-RateLimit-Remaining-Tokens",
  resetTokens: "X-RateLimit-Reset-Tokens"
} as const satisfies Record<keyof RateLimits, string>

const entries = Object.entries(headerNames).map(([key, name]) => [key, name.toLowerCase()]) as ReadonlyArray<
  [keyof RateLimits, string]
>

/** `headers` has lower-case names. A value that is not an integer counts as missing. */
export const decode = (headers: Readonly<Record<string, string | undefined>>): RateLimits => {
  const limits: { -readonly [K in keyof RateLimits]: RateLimits[K] } = {}
  for (const [key, name] of entries) {
    const value = headers[name]?.trim()
    if (value !== undefined && /^\d{1,15}$/.test(value)) limits[key] = Number(value)
  }
  return limits
}

const windowSeconds = 60

/** What is left of a bucket, and the seconds until it is full: it fills evenly in a minute. */
const leftOf = (name: string, limit: number, left: number): string =>
  `"${name}";r=${left};t=${limit === 0 ? windowSeconds : Math.max(0, Math.ceil(((limit - left) * windowSeconds) / limit))}`

/** `RateLimit` and `RateLimit-Policy`, as draft 10 of `httpapi-ratelimit-headers` writes them. */
const encodeDraft = (
  headers: Record<string, string>,
  { limitRequests, limitTokens, remainingRequests, remainingTokens }: RateLimits
): void => {
  if (limitRequests === undefined || remainingRequests === undefined) return
  const policy = `"requests";q=${limitRequests};w=${windowSeconds}`
  const left = leftOf("requests", limitRequests, remainingRequests)
  const hasTokens = limitTokens !== undefined && remainingTokens !== undefined
  headers["ratelimit-policy"] = hasTokens
    ? `${policy}, "tokens";q=${limitTokens};w=${windowSeconds};qu="tokens"`
    : policy
  headers["ratelimit"] = hasTokens ? `${left}, ${leftOf("tokens", limitTokens, remainingTokens)}` : left
}

/** Adds the limits to `headers`, under lower-case names. */
export const encodeInto = (headers: Record<string, string>, limits: RateLimits): void => {
  encodeDraft(headers, limits)
  for (const [key, name] of entries) {
    const value = limits[key]
    if (value !== undefined) headers[name] = String(value)
  }
}

export const encode = (limits: RateLimits): Record<string, string> => {
  const headers: Record<string, string> = {}
  encodeInto(headers, limits)
  return headers
}
