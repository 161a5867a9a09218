import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import type * as Redacted from "effect/Redacted"
import * as AccountsSql from "@tollgate/ledger/account/Accounts"
import { KeyHash } from "@tollgate/ledger/credential/KeyHash"
import * as KeysSql from "@tollgate/ledger/credential/Keys"
import { Cipher } from "../identity/crypto/Cipher.ts"
import type { AccessTokens } from "@tollgate/ledger/credential/Keys"
import { ConsoleSessions } from "../identity/console/ConsoleSessions.ts"
import { Approvals } from "../identity/approval/Approvals.ts"
import { Grants } from "../identity/grant/Grants.ts"
import { ServiceAccounts } from "../identity/grant/ServiceAccounts.ts"
import * as LedgerSql from "@tollgate/ledger/commit/LedgerSql"
import { SignIn } from "../identity/signIn/SignIn.ts"
import { migrate } from "./tables.ts"
import * as Aead from "effect/crypto/Aead"
import * as Digest from "effect/crypto/Digest"
import * as Kdf from "effect/crypto/Kdf"
import * as Mac from "effect/crypto/Mac"
import * as SecureRandom from "effect/crypto/SecureRandom"
import * as Signature from "effect/crypto/Signature"

/** Of the host, if it provides one that is quicker than Web Crypto. */
const layerDigest = Layer.unwrap(
  Effect.map(Effect.serviceOption(Digest.Digest), (own) =>
    Option.isSome(own) ? Layer.succeed(Digest.Digest, own.value) : Digest.layerWebCrypto
  )
)

/** All the cryptography of a gateway, by Web Crypto. */
export const layerCrypto = Layer.mergeAll(
  Aead.layerWebCrypto,
  layerDigest,
  Kdf.layerWebCrypto,
  Mac.layerWebCrypto,
  Signature.layerWebCrypto
).pipe(Layer.provideMerge(SecureRandom.layerWebCrypto))

/** Without access tokens, API keys are the only credentials. */
const noAccessTokens: Layer.Layer<never> = Layer.empty

/**
 * Accounts, keys, grants and sign-in on a `SqlClient` whose tables are migrated and up to date. The server and the commands share it.
 * `secret` hashes the keys and encrypts what is secret. `accessTokens` says which other credentials there are.
 */
export const layerStore = <E = never, R = never>(
  secret: Redacted.Redacted<Uint8Array>,
  accessTokens: Layer.Layer<never, E, R> | Layer.Layer<AccessTokens, E, R> = noAccessTokens
) =>
  Layer.mergeAll(SignIn.layer, Approvals.layer, ConsoleSessions.layer).pipe(
    Layer.provideMerge(Layer.mergeAll(Layer.provide(KeysSql.layer, accessTokens), Cipher.layer(secret))),
    Layer.provideMerge(ServiceAccounts.layer),
    Layer.provideMerge(Grants.layer),
    Layer.provideMerge(AccountsSql.layer),
    Layer.provideMerge(KeyHash.layer(secret)),
    Layer.provideMerge(layerCrypto),
    Layer.provide(Layer.effectDiscard(Effect.andThen(migrate, LedgerSql.checkpoint)))
  )
