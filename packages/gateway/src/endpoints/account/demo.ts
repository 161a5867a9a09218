import type { demo } from "@tollgate/contract/account/Profile"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type { HttpServerRequest } from "effect/http/HttpServerRequest"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import type { Accounts, NewKey } from "@tollgate/ledger/account/Accounts"
import { hasEnded } from "@tollgate/ledger/account/keys"
import { refuse } from "@tollgate/contract/errors/Refused"
import type { Handlers } from "../managementApi/ApiRouter.ts"

const loopbackAddress = /^(?:(?:::ffff:)?127(?:\.\d{1,3}){3}|::1)$/i
/** Only names that no DNS server can point elsewhere, or back here. */
const loopbackHost = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d{1,5})?$/i

const forwarding = /^(?:forwarded|via|x-forwarded-.*|x-real-ip)$/

/** Whether a program on this machine asks, through no proxy and under no foreign name. */
const isLocal = ({ headers, remoteAddress }: HttpServerRequest): boolean =>
  loopbackAddress.test(Option.getOrElse(remoteAddress, () => "")) &&
  loopbackHost.test(headers.host ?? "") &&
  !Object.keys(headers).some((name) => forwarding.test(name))

/** Browsers set these headers, and pages cannot. */
const isOwnPage = ({ headers }: HttpServerRequest): boolean =>
  headers["sec-fetch-site"] === "same-origin" &&
  (headers.origin === undefined || headers.origin === `http://${headers.host}`)

/** Besides own pages: a person who opens the address, and a program that is no browser. */
const isSameOrigin = (request: HttpServerRequest): boolean =>
  [undefined, "none"].includes(request.headers["sec-fetch-site"]) || isOwnPage(request)

const notFound = refuse("route_not_found", "There is no key to try this gateway with.")
/** Gives the key that the first start made to a page of this gateway on the same machine. It needs no credential. */
export const demoHandlers = (
  accounts: Accounts["Service"],
  keyInForce: () => NewKey | undefined
): Handlers<typeof demo, HttpServerRequest> => {
  const usable = Effect.fnUntraced(function* (request: HttpServerRequest) {
    const made = isLocal(request) ? keyInForce() : undefined
    if (made === undefined) return undefined
    const key = yield* Effect.catchTag(accounts.getKey(made.id), "AccountsError", () => Effect.undefined)
    return key === undefined || hasEnded(key, yield* Clock.currentTimeMillis) ? undefined : made
  })
  return {
    hasDemo: (_, request) =>
      isSameOrigin(request)
        ? Effect.map(usable(request), (made) => ({ available: made !== undefined }))
        : Effect.succeed({ available: false }),
    demoKey: Effect.fnUntraced(function* (_, request) {
      const made = isOwnPage(request) ? yield* usable(request) : undefined
      return made === undefined ? yield* notFound : { key: Redacted.value(made.value) }
    })
  }
}
