import { SecureRandom } from "effect/crypto/SecureRandom"
import * as Effect from "effect/Effect"
import * as Base64Url from "effect/encoding/Base64Url"
import * as Redacted from "effect/Redacted"
import { SqlClient } from "effect/sql/SqlClient"
import { KeyHash } from "@tollgate/ledger/credential/KeyHash"
import * as Rows from "@tollgate/ledger/store/rows"
import { hashed, model } from "../grant/AccessTokensSql.ts"
import { consoleId } from "../grant/consoleId.ts"

/**
 * The console's own tokens. A session takes the access token over: it gets a new value and lives as long as the session, and the
 * refresh token goes. What the page had is worth nothing then. Other credentials stay as they are.
 */
export const make = Effect.gen(function* () {
  const { mark, run } = Rows.make(yield* SqlClient)
  const hash = yield* KeyHash
  const random = yield* SecureRandom

  const idOf = (token: string) => hash.of(hashed(model, token))
  const ofConsole = `grant_id IN (SELECT id FROM grants WHERE client_id = '${consoleId}')`

  return {
    take: Effect.fnUntraced(function* (credential: Redacted.Redacted, endsAt: number) {
      const token = Base64Url.encode(yield* random.randomBytes(32))
      const [row] = yield* run(
        `UPDATE oauth SET id = ${mark(1)}, expires_at = ${mark(2)} WHERE model = '${model}' AND id = ${mark(3)}` +
          ` AND ${ofConsole} RETURNING grant_id, uid`,
        [yield* idOf(token), endsAt, yield* idOf(Redacted.value(credential))]
      )
      if (row === undefined) return credential
      yield* run(`DELETE FROM oauth WHERE model = 'RefreshToken' AND grant_id = ${mark(1)} AND uid = ${mark(2)}`, [
        Rows.text(row, "grant_id"),
        Rows.text(row, "uid")
      ])
      return Redacted.make(token, { label: "access token" })
    }),
    /** Ends the sign-in of this browser. The grant stays for the next one. */
    end: Effect.fnUntraced(function* (credential: Redacted.Redacted) {
      yield* run(
        "DELETE FROM oauth WHERE (grant_id, uid) IN" +
          ` (SELECT grant_id, uid FROM oauth WHERE model = '${model}' AND id = ${mark(1)} AND ${ofConsole})`,
        [yield* idOf(Redacted.value(credential))]
      )
    })
  }
})
