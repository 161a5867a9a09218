import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Redacted from "effect/Redacted"
import * as AccountsSql from "../account/AccountsSql.ts"
import { KeyHash } from "../credential/KeyHash.ts"
import * as KeysSql from "../credential/KeysSql.ts"
import { Cipher } from "../crypto/Cipher.ts"
import * as LedgerSql from "../ledger/LedgerSql.ts"
import * as SignInSql from "../signIn/SignInSql.ts"
import { migrate } from "../store/migrations.ts"
import { layerCrypto } from "./crypto.ts"

/**
 * Accounts, keys and sign-in on a `SqlClient` whose tables are migrated and up to date. The server and the commands share it.
 * `secret` hashes the keys and encrypts the tokens of linked accounts.
 */
export const layerStore = (secret: Redacted.Redacted<Uint8Array>) =>
  SignInSql.layer.pipe(
    Layer.provideMerge(Layer.mergeAll(KeysSql.layer, AccountsSql.layer, Cipher.layer(secret))),
    Layer.provide(KeyHash.layer(secret)),
    Layer.provideMerge(layerCrypto),
    Layer.provide(Layer.effectDiscard(Effect.andThen(migrate, LedgerSql.checkpoint)))
  )
