import type { keys as routes, OwnKey } from "@tollgate/contract/account/Key"
import { refuse } from "@tollgate/contract/errors/Refused"
import { type Accounts, AccountsError, type Key, type NewKey } from "@tollgate/ledger/account/Accounts"
import { hasEnded, isLimited } from "@tollgate/ledger/account/keys"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { keyTermsOf } from "../keyTerms.ts"
import type { Handlers } from "../managementApi/ApiRouter.ts"
import { keyFields } from "../managementApi/shapes.ts"
import { type Caller, decidesForAccount, listed } from "./Caller.ts"

/** How many keys of an account can be valid at once. */
const most = 100

const defaultGraceSeconds = 86_400

const shown = (key: Key, { principal }: Caller, now: number): OwnKey => ({
  ...keyFields(key, now),
  own: principal.grant === undefined && key.id === principal.key
})

const conflict = (message: string) => new AccountsError({ reason: "conflict", message })

const noKey = new AccountsError({ reason: "missing", message: "The account has no such key." })

/** It could not take that back: a limited key changes no keys. */
const ownTerms = refuse("access_denied", "A key cannot limit itself; do it with another key of the account.")

const over = conflict("The key has ended; make a new one.")
const ownKey = conflict('You are signed in with this key, and will be signed out. Send confirm: "own" to revoke it.')
const lastKey = conflict(
  'This is the last key that can change keys and sign in; after it, only the operator can make one. Send confirm: "last" to revoke it.'
)

const isLast = (key: Key, all: ReadonlyArray<Key>, now: number): boolean =>
  !hasEnded(key, now) &&
  !isLimited(key) &&
  all.every((one) => one.id === key.id || one.endsAt !== null || isLimited(one))

export const keyHandlers = (accounts: Accounts["Service"]): Handlers<typeof routes, Caller> => {
  const decides = decidesForAccount(accounts)

  const find = Effect.fnUntraced(function* (id: string, { principal }: Caller) {
    const missing = (error: { readonly _tag: string }) => error._tag === "AccountsError"
    const key = yield* Effect.catchIf(accounts.getKey(id), missing, () => Effect.fail(noKey))
    return key.account === principal.account && !key.isGrant ? key : yield* noKey
  })

  const show = (id: string, caller: Caller) =>
    Effect.map(Effect.all([accounts.getKey(id), Clock.currentTimeMillis]), ([key, now]) => shown(key, caller, now))

  // The key is made: a failure from here on must not say that nothing was changed, or clients would make another.
  const showNew = ({ id, value }: NewKey, caller: Caller) =>
    Effect.map(Effect.orDie(show(id, caller)), (key) => ({ ...key, key: Redacted.value(value) }))

  return {
    keys: Effect.fnUntraced(function* (_, caller) {
      yield* decides(caller)
      const now = yield* Clock.currentTimeMillis
      const all = (yield* accounts.listKeys(caller.principal.account)).toReversed()
      return { keys: listed(all, (key) => hasEnded(key, now)).map((key) => shown(key, caller, now)), most }
    }),
    createKey: Effect.fnUntraced(function* ({ body }, caller) {
      yield* decides(caller)
      const terms = yield* keyTermsOf(body, caller.gateway)
      return yield* showNew(yield* accounts.createKey(caller.principal.account, terms, most), caller)
    }),
    changeKey: Effect.fnUntraced(function* ({ body, id }, caller) {
      yield* decides(caller)
      const key = yield* find(id, caller)
      const { label: _, ...limits } = body
      const isOwn = caller.principal.grant === undefined && key.rootKey === caller.principal.rootKey
      if (isOwn && Object.keys(limits).length > 0) return yield* ownTerms
      if (hasEnded(key, yield* Clock.currentTimeMillis)) return yield* over
      yield* accounts.changeKey(id, yield* keyTermsOf(body, caller.gateway))
      return yield* show(id, caller)
    }),
    rotateKey: Effect.fnUntraced(function* ({ body: { grace_seconds = defaultGraceSeconds }, id }, caller) {
      yield* decides(caller)
      yield* find(id, caller)
      return yield* showNew(yield* accounts.rotateKey(id, grace_seconds * 1_000, most), caller)
    }),
    revokeKey: Effect.fnUntraced(function* ({ body: { confirm }, id }, caller) {
      yield* decides(caller)
      yield* find(id, caller)
      const isOwn = caller.principal.grant === undefined && id === caller.principal.key
      const now = yield* Clock.currentTimeMillis
      yield* accounts.revokeKey(id, (key, all) => {
        if (confirm !== "last" && isLast(key, all, now)) return lastKey
        return isOwn && confirm === undefined ? ownKey : undefined
      })
      return yield* show(id, caller)
    })
  }
}
