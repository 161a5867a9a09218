import { generateKeyPair, randomBytes } from "node:crypto"
import { AccessTokensSql, Cipher, Grants, KeyHash, ServiceAccounts } from "@tollgate/gateway"
import { doesNotTouchLedger, Rows } from "@tollgate/gateway/driver"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import { SqlClient } from "effect/sql/SqlClient"
import type { JSONWebKeySet as JWKS } from "jose"

// A client has one grant of an account, and signs in once on each device. What `oidc-provider` calls a grant is such a
// sign-in: its id begins with that of the grant.

export const newSignIn = (grantId: string): string => `${grantId}.${randomBytes(12).toString("base64url")}`

export const grantOf = (signIn: string): string => signIn.split(".", 1)[0] ?? signIn

/** What can be said of a stored object without decrypting it. */
export interface Columns {
  /** Of a token: the sign-in that it belongs to. */
  readonly signIn?: string | undefined
  readonly uid?: string | undefined
  readonly scopes?: string | undefined
  readonly resource?: string | undefined
  /** `undefined`: it does not expire. */
  readonly expiresAt: number | undefined
}

export interface Stored {
  readonly payload: string
  readonly consumedAt: number | undefined
}

const columnNames = ["model", "id", "payload", "grant_id", "uid", "scopes", "resource", "expires_at"]
const updated = columnNames.slice(2).map((name) => `${name} = excluded.${name}`)

/** How many expired rows are deleted at a time. */
const batch = 500
/** How many make room: finding them reads all of their model, which is too slow to do for each new one. */
const making = 100

/** The table of the authorization server. Ids are keyed hashes and payloads are encrypted: both may be credentials. */
export const make = Effect.gen(function* () {
  const rows = Rows.make(yield* SqlClient)
  const cipher = yield* Cipher
  const hash = yield* KeyHash
  const grants = yield* Grants
  const { digestOf, find: findServiceAccount } = yield* ServiceAccounts
  const { literal } = rows
  const query: typeof rows.query = (text, ...values) => doesNotTouchLedger(rows.query(text, ...values))

  const idOf = (model: string, id: string) => hash.of(AccessTokensSql.hashed(model, id))
  const uidOf = (uid: string) => hash.of(`uid ${uid}`)
  const context = (model: string, id: string) => `oauth ${model} ${id}`

  const valuesOf = Effect.fnUntraced(function* (model: string, id: string, payload: string, columns: Columns) {
    const hashed = yield* idOf(model, id)
    const sealed = yield* cipher.seal(Redacted.make(payload), context(model, hashed))
    const { expiresAt, resource, scopes, signIn, uid = signIn } = columns
    const grantId = signIn === undefined ? null : grantOf(signIn)
    const hashedUid = uid === undefined ? null : yield* uidOf(uid)
    return [model, hashed, sealed, grantId, hashedUid, scopes ?? null, resource ?? null, expiresAt ?? null]
  })

  const insert = (values: ReadonlyArray<Rows.Value>, onConflict: string) =>
    doesNotTouchLedger(
      rows.run(
        `INSERT INTO oauth (${columnNames.join(", ")}) VALUES (${columnNames.map((_, i) => rows.mark(i + 1)).join(", ")})` +
          ` ON CONFLICT (model, id) DO ${onConflict}`,
        values
      )
    )

  const open = Effect.fnUntraced(function* (model: string, row: Rows.Row | undefined) {
    if (row === undefined) return undefined
    const payload = yield* cipher.open(row.payload as Uint8Array, context(model, Rows.text(row, "id")))
    if (Option.isNone(payload)) return undefined
    const stored: Stored = {
      payload: Redacted.value(payload.value),
      consumedAt: Rows.numberOrNull(row, "consumed_at") ?? undefined
    }
    return stored
  })

  const findBy = Effect.fnUntraced(function* (model: string, column: "id" | "uid", value: string) {
    const now = yield* Clock.currentTimeMillis
    const [row] = yield* query`SELECT id, payload, consumed_at FROM oauth WHERE model = ${model}
      AND ${literal(column)} = ${value} AND (expires_at IS NULL OR expires_at > ${now})`
    return yield* open(model, row)
  })

  const deleteExpired = Effect.gen(function* () {
    const now = yield* Clock.currentTimeMillis
    const deleted = yield* query`DELETE FROM oauth WHERE (model, id) IN
      (SELECT model, id FROM oauth WHERE expires_at <= ${now} LIMIT ${batch}) RETURNING model`
    return deleted.length === batch
  })

  return {
    grants,
    machines: { digestOf, find: findServiceAccount },
    upsert: (model: string, id: string, payload: string, columns: Columns) =>
      Effect.flatMap(valuesOf(model, id, payload, columns), (values) =>
        insert(values, `UPDATE SET ${updated.join(", ")}`)
      ),
    /** Keeps what another gateway stored first. */
    insertNew: (model: string, id: string, payload: string) =>
      Effect.flatMap(valuesOf(model, id, payload, { expiresAt: undefined }), (values) => insert(values, "NOTHING")),
    find: (model: string, id: string) => Effect.flatMap(idOf(model, id), (hashed) => findBy(model, "id", hashed)),
    findByUid: (model: string, uid: string) => Effect.flatMap(uidOf(uid), (hashed) => findBy(model, "uid", hashed)),
    /** Whether it was not consumed before. Of two requests at once, one gets `true`. */
    consume: Effect.fnUntraced(function* (model: string, id: string) {
      const consumed = yield* query`UPDATE oauth SET consumed_at = ${yield* Clock.currentTimeMillis}
        WHERE model = ${model} AND id = ${yield* idOf(model, id)} AND consumed_at IS NULL RETURNING id`
      return consumed.length > 0
    }),
    destroy: Effect.fnUntraced(function* (model: string, id: string) {
      yield* query`DELETE FROM oauth WHERE model = ${model} AND id = ${yield* idOf(model, id)}`
    }),
    /** Ends what one device has of a grant, and the grant with the last of them. */
    endSignIn: Effect.fnUntraced(function* (signIn: string) {
      const grantId = grantOf(signIn)
      yield* query`DELETE FROM oauth WHERE grant_id = ${grantId} AND uid = ${yield* uidOf(signIn)}`
      const others = yield* query`SELECT id FROM oauth
        WHERE model IN ('AccessToken', 'AuthorizationCode', 'RefreshToken') AND grant_id = ${grantId}
        AND consumed_at IS NULL AND expires_at > ${yield* Clock.currentTimeMillis} LIMIT 1`
      if (others.length === 0) yield* grants.revoke(grantId)
    }),
    /** Lets an object live until then, at least. */
    prolong: Effect.fnUntraced(function* (model: string, id: string, until: number) {
      yield* query`UPDATE oauth SET expires_at = ${until}
        WHERE model = ${model} AND id = ${yield* idOf(model, id)} AND expires_at < ${until}`
    }),
    /** Whether there are this many, or more. */
    hasAtLeast: (model: string, most: number) =>
      Effect.map(
        query`SELECT id FROM oauth WHERE model = ${model} LIMIT 1 OFFSET ${most - 1}`,
        (found) => found.length > 0
      ),
    /** Deletes some of those that expire first, if they do so before then. Returns whether there were any. */
    deleteFirst: (model: string, before: number) =>
      Effect.map(
        query`DELETE FROM oauth WHERE model = ${model} AND id IN (SELECT id FROM oauth WHERE model = ${model}
          AND expires_at < ${before} ORDER BY expires_at LIMIT ${making}) RETURNING id`,
        (deleted) => deleted.length > 0
      ),
    deleteExpired: Effect.repeat(deleteExpired, { while: (more) => more })
  }
})

export type Storage = Effect.Success<typeof make>

/** What signs ID tokens and cookies. */
export interface ServerKeys {
  readonly jwks: JWKS
  readonly cookieKeys: ReadonlyArray<string>
}

const keysModel = "ServerKeys"
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
  const stored = Effect.map(storage.find(keysModel, current), (found) =>
    found === undefined ? undefined : (JSON.parse(found.payload) as ServerKeys)
  )
  const known = yield* stored
  if (known !== undefined) return known
  const made = yield* newKeys
  yield* storage.insertNew(keysModel, current, JSON.stringify(made))
  const kept = yield* stored
  if (kept !== undefined) return kept
  // Encrypted under a secret that is gone.
  yield* storage.upsert(keysModel, current, JSON.stringify(made), { expiresAt: undefined })
  return made
})
