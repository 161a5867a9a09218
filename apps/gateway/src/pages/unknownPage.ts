import { type Gateway, Http, nosniff } from "@tollgate/gateway"
import { Html, html, mark, theme } from "@tollgate/gateway/html"
import * as Effect from "effect/Effect"
import type { HttpServerRequest } from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import { createHash } from "node:crypto"

interface Options {
  /** The operator's name for the service. */
  readonly name: string
  readonly baseUrl: string
}

const style = `${theme}
body { box-sizing: border-box; margin: 0; min-height: 100vh; display: grid; place-content: center; padding: 1.5rem; background: var(--page);
  color: var(--text); font: 1rem/1.6 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif }
main { max-width: 32rem }
svg { width: 2rem; color: var(--accent) }
h1 { margin: .5rem 0; font-size: 1.5rem }
a { color: var(--accent) }
`

const styleElement = Html.style(style)

const page = ({ baseUrl, name }: Options): string => {
  const prefix = new URL(baseUrl).pathname.replace(/\/$/, "")
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="robots" content="noindex" />
        <title>Page not found · ${name}</title>
        ${styleElement}
      </head>
      <body>
        <main>
          ${mark}
          <h1>Page not found</h1>
          <p>${name} has nothing at this address.</p>
          <p><a href="${prefix}/">The console</a> · <a href="${prefix}/docs">The documentation</a></p>
        </main>
      </body>
    </html> `.toString()
}

const headers = {
  ...nosniff,
  "cache-control": "no-store",
  "content-security-policy": `default-src 'none'; style-src 'sha256-${createHash("sha256").update(style).digest("base64")}'; base-uri 'none'; frame-ancestors 'none'`,
  "referrer-policy": "no-referrer",
  vary: "accept"
}

const credentials = ["authorization", "x-api-key", "x-goog-api-key"]

/** A person who opens an address. Programs accept anything, and send a credential. */
const isVisit = ({ headers, method, url }: HttpServerRequest): boolean =>
  method === "GET" &&
  /\btext\/html\b/i.test(headers.accept ?? "") &&
  credentials.every((name) => headers[name] === undefined) &&
  !/[?&]key=/.test(url)

/** The refusal of an unknown path, as a page if a browser shows it. Other requests and refusals stay as they are. */
export const unknownPage = (gateway: () => Gateway.Gateway, options: Options) => {
  const text = page(options)
  return (request: HttpServerRequest) =>
    Effect.map((response: HttpServerResponse.HttpServerResponse) => {
      const isRefused = response.status === 401 || response.status === 404
      if (!isRefused || !isVisit(request) || gateway().accept(Http.requestOf(request)).match !== undefined)
        return response
      const { "content-length": _, "content-type": __, ...kept } = response.headers
      return HttpServerResponse.text(text, {
        status: response.status,
        contentType: "text/html; charset=utf-8",
        headers: { ...kept, ...headers }
      })
    })
}
