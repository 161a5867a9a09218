import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import { SqlClient } from "effect/sql/SqlClient"
import * as Rows from "../store/rows.ts"
import { KeyHash } from "./KeyHash.ts"

/** The store was made with another secret: no key would work, and nothing that is encrypted could be read. */
export class SecretDiffers extends Data.TaggedError("SecretDiffers") {}

const fact = "secret"
const known = "tollgate fingerprint of the secret 1"

/** Compares the secret with the fingerprint in the store, which the first start leaves there. It does not reveal the secret. */
export const checkSecret = Effect.gen(function* () {
  const hash = yield* KeyHash
  const { mark, run } = Rows.make(yield* SqlClient)
  const fingerprint = yield* hash.of(known)
  const stored = Effect.map(run(`SELECT value FROM facts WHERE name = ${mark(1)}`, [fact]), ([row]) =>
    row === undefined ? undefined : Rows.text(row, "value")
  )
  if ((yield* stored) === undefined) {
    yield* run(`INSERT INTO facts (name, value) VALUES (${mark(1)}, ${mark(2)}) ON CONFLICT (name) DO NOTHING`, [
      fact,
      fingerprint
    ])
  }
  if ((yield* stored) !== fingerprint) return yield* new SecretDiffers()
})
