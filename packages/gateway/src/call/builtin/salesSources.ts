import * as Utf8 from "@tollgate/contract/Utf8"
import * as Signature from "effect/crypto/Signature"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Base64Url from "effect/encoding/Base64Url"
import * as Schema from "effect/Schema"
import type { Snapshot } from "./salesData.ts"
import { Carrier, NotCarried } from "@tollgate/contract/carrier/Carrier"
import { readBounded } from "@tollgate/contract/carrier/readBounded"
import { UsageTotals } from "@tollgate/contract/resources/UsageReport"
import * as Clock from "effect/Clock"
import { SqlClient } from "effect/sql/SqlClient"
import { foldUsage } from "@tollgate/ledger/commit/postgres/foldUsage"
import { counters, type Counts, spans } from "@tollgate/ledger/ledger/UsageTotals"
import { amount, make as makeRows } from "@tollgate/ledger/store/rows"
import { totalsOf } from "@tollgate/ledger/usage/report"

const deadlineMillis = 5_000
const urlParts = /^(https?:\/\/[^/?#]+)([^#]*)$/

/** Gets a document from an address. Only 200 is an answer; redirects are not followed. */
export const fetchDocument = (url: string, isPrivate: boolean) =>
  Carrier.use(({ carry }) => {
    const [, origin = url, path = ""] = urlParts.exec(url) ?? []
    return carry({
      method: "GET",
      origin,
      path: path === "" ? "/" : path,
      headers: { accept: "application/jose, */*", "accept-encoding": "identity" },
      body: undefined,
      deadlineMillis,
      idleMillis: deadlineMillis,
      maxBytes: maxDocumentBytes,
      private: isPrivate,
      isStreamed: () => false
    })
  }).pipe(
    Effect.flatMap(({ body, status }) =>
      status === 200 ? readBounded(body, maxDocumentBytes) : Effect.fail(new NotCarried({ why: "broken" }))
    )
  )

/** Why a document is not accepted. */
export class NotVerified extends Data.TaggedError("NotVerified")<{
  readonly reason: "malformed" | "wrong signature" | "older than the last"
}> {}

export const maxDocumentBytes = 262_144

const malformed = () => new NotVerified({ reason: "malformed" })

const Header = Schema.fromJsonString(
  Schema.Struct({ alg: Schema.Literal("EdDSA"), crit: Schema.optionalKey(Schema.Undefined) })
)

const Payload = Schema.fromJsonString(
  Schema.Struct({
    observed_at: Schema.DateTimeUtcFromString,
    expires_at: Schema.DateTimeUtcFromString,
    data: Schema.Record(Schema.String, Schema.Unknown)
  })
)

const compact = /^([A-Za-z0-9_-]+)\.([A-Za-z0-9_-]+)\.([A-Za-z0-9_-]+)\s*$/

const decodePart = (part: string) => Effect.mapError(Effect.fromResult(Base64Url.decode(part)), malformed)

const decodeJson = <T>(schema: Schema.ConstraintDecoder<T>, part: string): Effect.Effect<T, NotVerified> =>
  decodePart(part).pipe(
    Effect.flatMap((bytes) => Effect.try({ try: () => Utf8.decodeStrict(bytes), catch: malformed })),
    Effect.flatMap((text) => Effect.mapError(Schema.decodeUnknownEffect(schema)(text), malformed))
  )

/**
 * Makes a reader of signed documents: JWS in compact form (RFC 7515), with the algorithm EdDSA and this Ed25519 key. A
 * document that is older than the last one is refused: somebody may replay it.
 */
export const make = Effect.fnUntraced(function* (publicKey: Uint8Array) {
  const signatures = yield* Signature.Signature
  const key = yield* Signature.publicKey(Signature.ed25519, publicKey)
  let newest = Number.NEGATIVE_INFINITY
  return Effect.fnUntraced(function* (document: Uint8Array) {
    const text = yield* Effect.try({ try: () => Utf8.decodeStrict(document), catch: malformed })
    const [, header = "", payload = "", signature = ""] = compact.exec(text) ?? []
    yield* decodeJson(Header, header)
    const isOurs = yield* signatures.verify(key, yield* decodePart(signature), Utf8.encode(`${header}.${payload}`))
    if (!isOurs) return yield* new NotVerified({ reason: "wrong signature" })
    const { data, expires_at, observed_at } = yield* decodeJson(Payload, payload)
    const observedAt = observed_at.epochMilliseconds
    if (observedAt < newest) return yield* new NotVerified({ reason: "older than the last" })
    newest = observedAt
    const snapshot: Snapshot = { observedAt, expiresAt: expires_at.epochMilliseconds, data }
    return snapshot
  })
})

const dayMillis = spans[2]
const days = 30
const summed = counters.map((name) => `COALESCE(SUM(s.${name}), 0) AS ${name}`).join(", ")

/** The totals of all accounts over the last 30 days in UTC, today included, in the names of a usage report. */
export const ledgerTotals = Effect.gen(function* () {
  const rows = makeRows(yield* SqlClient)
  const now = yield* Clock.currentTimeMillis
  const from = (Math.floor(now / dayMillis) - days + 1) * dayMillis
  yield* foldUsage(rows)
  // By account, because the totals are indexed by account first.
  const [row = {}] = yield* rows.query`SELECT ${rows.literal(summed)} FROM accounts a
    JOIN account_sums s ON s.account = a.id AND s.span = ${dayMillis} AND s.start >= ${from} AND s.start <= ${now}`
  const counts = Object.fromEntries(counters.map((name) => [name, amount(row, name)])) as Counts
  const snapshot: Snapshot = {
    observedAt: now,
    data: {
      currency: "USD",
      start_time: from / 1000,
      end_time: Math.floor(now / 1000),
      totals: yield* Schema.encodeEffect(UsageTotals)(totalsOf(counts))
    }
  }
  return snapshot
})
