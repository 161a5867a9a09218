import { refuse } from "@tollgate/contract/errors/Refused"
import { fromMicros, formatUsd } from "@tollgate/contract/Money"
import * as Utf8 from "@tollgate/contract/Utf8"
import * as Effect from "effect/Effect"
import type { HttpServerRequest } from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as RequestIds from "../../exchange/RequestIds.ts"
import { html, theme, Html } from "../../html/html.ts"
import { microsOf } from "../../payment/PaymentRows.ts"
import type { Payments } from "../../payment/Payments.ts"
import type { Pretend, PretendPage } from "../../payment/pretend.ts"
import type { EndpointGroup } from "../EndpointGroup.ts"
import { readBody } from "../http/Http.ts"
import { nosniff } from "../http/respond.ts"
import { failure } from "../jsonAnswers.ts"

const notFound = refuse("route_not_found", "There is no such page of a payment.")

const prefix = "/payments/pretend/"

const style = `${theme}
body { margin: 0; min-height: 100vh; display: grid; place-items: center; font: 1rem/1.5 system-ui, sans-serif;
  background: var(--page); color: var(--text) }
main { box-sizing: border-box; width: min(24rem, 100vw - 2rem); padding: 2rem; border-radius: 1rem; background: var(--card);
  border: 1px solid var(--line) }
h1 { margin: 0; font-size: 2rem } p { margin: 0 0 1.5rem; color: var(--soft) } form { display: grid; gap: .5rem }
button { padding: .65rem; font: inherit; border-radius: .5rem; border: 1px solid var(--control); background: none; color: inherit; cursor: pointer }
button[value=pay] { background: var(--accent); border-color: var(--accent); color: var(--on-accent) }
.note { margin: 1.5rem 0 0; font-size: .875rem }`

const pageOf = (id: string, { back, seen }: PretendPage) => {
  const amount = formatUsd(fromMicros(microsOf(seen.cents)))
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width" />
        <title>Pay ${amount} USD</title>
        ${Html.style(style)}
      </head>
      <body>
        <main>
          <h1>${amount} USD</h1>
          <p>To this gateway, with a card that is not real.</p>
          ${
            seen.state === "open"
              ? html`<form method="post">
                  <button name="press" value="pay">Pay with 4242 4242 4242 4242</button>
                  <button name="press" value="decline">Pay with a card that is declined</button
                  ><button name="press" value="leave">Leave without paying</button>
                </form>`
              : seen.state === "paid"
                ? html`<p>Receipt: paid with 4242 4242 4242 4242, as ${id} of ${seen.account}.</p>`
                : html`<p><a href="${back}">This page was used. Go back</a></p>`
          }
          <p class="note">
            This page is the sandbox's: no money moves. With Stripe configured, Stripe's own page is here.
          </p>
        </main>
      </body>
    </html>`
}

const pageHeaders = {
  ...nosniff,
  "cache-control": "no-store",
  "referrer-policy": "no-referrer",
  "content-security-policy":
    "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
}

const presses = ["pay", "decline", "leave"] as const

/** The page of the pretend card. Whoever has its address may pay. */
export const pretendPages = Effect.fnUntraced(function* (payments: Payments, pretend: Pretend) {
  const nextId = yield* RequestIds.make
  const show = Effect.fnUntraced(function* (request: HttpServerRequest, id: string) {
    const page = pretend.page(id)
    if (page === undefined) return yield* notFound
    const body = request.method === "POST" ? Utf8.decode(yield* readBody(request, 1_000, false)) : ""
    const pressed = presses.find((one) => body === `press=${one}`)
    if (pressed !== undefined) {
      pretend.press(page, pressed)
      yield* payments.check(id)
      return HttpServerResponse.empty({ status: 303, headers: { ...pageHeaders, location: page.back } })
    }
    return HttpServerResponse.uint8Array(Utf8.encode(String(pageOf(id, page))), {
      contentType: "text/html; charset=utf-8",
      headers: pageHeaders
    })
  })
  return {
    paths: [`${prefix}*`],
    answer: (request: HttpServerRequest, path: string) => {
      const requestId = nextId()
      return Effect.catchCause(show(request, path.slice(prefix.length)), (cause) =>
        failure(cause, requestId, "payment page")
      )
    }
  } satisfies EndpointGroup
})
