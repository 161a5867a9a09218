import { Accounts, type NotSignedIn, SignIn } from "@tollgate/gateway"
import type { Issued } from "@tollgate/gateway/driver"
import type { Account } from "@tollgate/gateway/operator"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import type { Ask } from "./Ask.ts"
import type { SignedIn } from "./layout.ts"
import { redirect } from "./Page.ts"
import { noCookie, sessionCookie } from "./Visit.ts"

/** The account that is signed in. */
export const signedInAccount = Effect.fnUntraced(function* ({ visit }: Ask) {
  const found = yield* (yield* SignIn).find(visit.secret)
  return Option.isNone(found) ? undefined : yield* (yield* Accounts).get(found.value.account)
})

/** `signOut`: the path that ends the session. */
export const shownAccount = ({ visit }: Ask, { id, label }: Account, signOut: string): SignedIn => ({
  label: label === "" ? id : label,
  account: id,
  signOut: visit.form(signOut)
})

/** Begins a session in place of the one that this browser may have had, and goes on there. */
export const begin = Effect.fnUntraced(function* ({ site, visit }: Ask, { endsAt, secret }: Issued, path: string) {
  yield* (yield* SignIn).end(visit.secret)
  const millis = endsAt - (yield* Clock.currentTimeMillis)
  return redirect(`${site.prefix}${path}`, sessionCookie(site, Redacted.value(secret), millis))
})

export const end = Effect.fnUntraced(function* ({ site, visit }: Ask, path: string) {
  yield* (yield* SignIn).end(visit.secret)
  return redirect(`${site.prefix}${path}`, noCookie(site))
})

/** By the key in the form. */
export const withKey = Effect.fnUntraced(function* ({ address, form }: Ask) {
  const key = Redacted.make((form.get("key") ?? "").trim(), { label: "api key" })
  return yield* (yield* SignIn).withKey(key, address)
})

const secondsOf = (millis: number | undefined): number => Math.max(1, Math.ceil((millis ?? 0) / 1_000))

const texts = {
  "wrong key": "This key is not valid. It may be incomplete, revoked, or of another gateway.",
  "limited key":
    "This key has a budget or a quota, so it cannot give access to the account. Use another key, or a sign-in link.",
  "used link": "This link no longer works."
}

/** How a page says that nobody was signed in. */
export const failure = ({ retryAfter, why }: NotSignedIn) => {
  if (why !== "too many") return { status: 403, text: texts[why], headers: {} }
  const seconds = secondsOf(retryAfter)
  return {
    status: 429,
    text: `Too many wrong keys came from your network. Try again in ${seconds} ${seconds === 1 ? "second" : "seconds"}.`,
    headers: { "retry-after": String(seconds) }
  }
}
