import type { Profile, profile as profileRoutes, ProfileQuota, demo } from "@tollgate/contract/account/Profile"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type { Account, Accounts, Key, NewKey } from "@tollgate/ledger/account/Accounts"
import type { Handlers } from "../managementApi/ApiRouter.ts"
import { amount, amountOrNull, multiplier, time, timeOrNull } from "../managementApi/shapes.ts"
import { type Caller, seesBalance } from "./Caller.ts"
import type { HttpServerRequest } from "effect/http/HttpServerRequest"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import { hasEnded } from "@tollgate/ledger/account/keys"
import { refuse } from "@tollgate/contract/errors/Refused"

/** Of a day and a month, as far as there are budgets for them. */
const quotasOf = ({ day, month, reserved }: Key, now: number) =>
  [day, month].flatMap((of) => {
    const { budget, period } = of
    if (budget === null) return []
    const spent = of.spentAt(now)
    const shown: ProfileQuota = {
      amount_micros_usd: amount(budget),
      period,
      spent_micros_usd: amount(spent),
      ends_at: time(of.endsAt(now))
    }
    return [{ shown, left: budget - spent - reserved }]
  })

const least = (amounts: ReadonlyArray<bigint>): bigint => {
  const lowest = amounts.reduce((one, other) => (other < one ? other : one))
  return lowest < 0n ? 0n : lowest
}

const credentialOf = (
  { principal }: Caller,
  key: Key,
  quotas: Profile["credential"]["quotas"]
): Profile["credential"] => ({
  kind: principal.grant === undefined ? "key" : "grant",
  id: key.id,
  label: key.label,
  scope: principal.grant === undefined ? "key" : "account",
  scopes: principal.grant === undefined ? null : [...principal.grant.scopes],
  ends_at: timeOrNull(key.endsAt),
  budget_micros_usd: amountOrNull(key.budget),
  spent_micros_usd: amount(key.spent),
  reserved_micros_usd: amount(key.reserved),
  quotas
})

const accountOf = (account: Account, hasBalance: boolean): Profile["account"] => ({
  id: account.id,
  label: account.label,
  tier: account.tier,
  ...account.allowance,
  multiplier: multiplier(account.multiplier),
  balance_micros_usd: hasBalance ? amount(account.balance) : null,
  reserved_micros_usd: hasBalance ? amount(account.reserved) : null
})

const profileOf = (caller: Caller, account: Account, key: Key, now: number, hasSandbox: boolean): Profile => {
  const quotas = quotasOf(key, now)
  return {
    credential: credentialOf(
      caller,
      key,
      quotas.map(({ shown }) => shown)
    ),
    account: accountOf(account, seesBalance(caller, key)),
    spendable_micros_usd: amount(
      least([
        account.balance - account.reserved,
        ...(key.budget === null ? [] : [key.budget - key.spent - key.reserved]),
        ...quotas.map(({ left }) => left)
      ])
    ),
    sandbox: hasSandbox,
    grants: caller.resources !== undefined
  }
}

export const profileHandlers = (
  accounts: Accounts["Service"],
  hasSandbox: () => boolean
): Handlers<typeof profileRoutes, Caller> => ({
  profile: (_, caller) => {
    const { account, key = "" } = caller.principal
    return Effect.map(
      Effect.all([accounts.get(account), accounts.getKey(key), Clock.currentTimeMillis]),
      ([account, key, now]) => profileOf(caller, account, key, now, hasSandbox())
    )
  }
})

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
