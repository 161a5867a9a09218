import type { Html } from "@tollgate/gateway/html"
import { styleHash } from "./style.ts"

/** What a request for a page is answered with. */
export interface Page {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/**
 * Chromium checks every redirect that follows a form, also those of the client. So a form whose answer leads to a client may
 * lead to any https address, and to the client's own if that is another kind.
 */
const formTargets = (redirectUri: string | undefined): string => {
  const url = redirectUri === undefined ? null : URL.parse(redirectUri)
  if (url === null) return "'self'"
  if (url.protocol === "https:") return "'self' https:"
  // A policy cannot name an IPv6 address.
  return `'self' https: ${url.protocol === "http:" && !url.hostname.startsWith("[") ? url.origin : url.protocol}`
}

const headersFor = (redirectUri: string | undefined): Readonly<Record<string, string>> => ({
  "cache-control": "no-store",
  "content-security-policy":
    `default-src 'none'; style-src ${styleHash}; form-action ${formTargets(redirectUri)}; base-uri 'none';` +
    " frame-ancestors 'none'",
  "cross-origin-resource-policy": "same-origin",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY"
})

interface Options {
  readonly headers?: Readonly<Record<string, string>>
  /** Where the forms of the page lead after all, if they answer a client. */
  readonly redirectUri?: string | undefined
}

export const page = (status: number, body: Html, { headers = {}, redirectUri }: Options = {}): Page => ({
  status,
  headers: { ...headersFor(redirectUri), "content-type": "text/html; charset=utf-8", ...headers },
  body: body.toString()
})

export const redirect = (location: string, headers: Readonly<Record<string, string>> = {}): Page => ({
  status: 303,
  headers: { ...headersFor(undefined), location, ...headers },
  body: ""
})
