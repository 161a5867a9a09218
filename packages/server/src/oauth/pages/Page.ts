import { Html, html, mark } from "@tollgate/gateway/html"
import { style, styleHash } from "./style.ts"

export interface SignedIn {
  readonly label: string
  readonly account: string
  readonly signOut: Form
}

/** Where a form goes, and the token that proves that this page made it. */
export interface Form {
  readonly action: string
  readonly token: string
}

interface Frame {
  readonly name: string
  readonly title: string
  readonly signedIn?: SignedIn | undefined
}

export const tokenField = ({ token }: Form): Html => html`<input type="hidden" name="token" value="${token}" />`

const styleElement = Html.style(style)

const signOut = ({ account, label, signOut }: SignedIn): Html =>
  html`<form class="who" method="post" action="${signOut.action}">
    ${tokenField(signOut)}<span title="${account}">${label}</span><button>Sign out</button>
  </form>`

export const layout = ({ name, signedIn, title }: Frame, content: Html): Html =>
  html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="robots" content="noindex" />
        <title>${title} · ${name}</title>
        ${styleElement}
      </head>
      <body>
        <header>
          <div class="brand">${mark}<span>${name}</span></div>
          ${signedIn && signOut(signedIn)}
        </header>
        <main>${content}</main>
      </body>
    </html> `

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
