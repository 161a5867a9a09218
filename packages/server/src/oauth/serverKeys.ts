import * as Effect from "effect/Effect"
import { generateKeyPair, randomBytes } from "node:crypto"
import type { JWKS } from "oidc-provider"
import type { Storage } from "./Storage.ts"

/** What signs ID tokens and cookies. */
export interface ServerKeys {
  readonly jwks: JWKS
  readonly cookieKeys: ReadonlyArray<string>
}

const model = "ServerKeys"
const current = "current"

const newKeys = Effect.callback<ServerKeys, Error>((resume) => {
  generateKeyPair("rsa", { modulusLength: 2048 }, (error, _, privateKey) => {
    if (error !== null) return resume(Effect.fail(error))
    const key = { ...privateKey.export({ format: "jwk" }), use: "sig", alg: "RS256" } as JWKS["keys"][number]
    resume(Effect.succeed({ jwks: { keys: [key] }, cookieKeys: [randomBytes(32).toString("base64url")] }))
  })
})

/** The keys that all gateways on this store share. The first makes them; the store has them encrypted. */
export const serverKeys = Effect.fnUntraced(function* (storage: Storage) {
  const stored = Effect.map(storage.find(model, current), (found) =>
    found === undefined ? undefined : (JSON.parse(found.payload) as ServerKeys)
  )
  const known = yield* stored
  if (known !== undefined) return known
  const made = yield* newKeys
  yield* storage.insertNew(model, current, JSON.stringify(made))
  const kept = yield* stored
  if (kept !== undefined) return kept
  // Encrypted under a secret that is gone.
  yield* storage.upsert(model, current, JSON.stringify(made), { expiresAt: undefined })
  return made
})
