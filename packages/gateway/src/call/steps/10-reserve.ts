import * as Headers from "@tollgate/contract/Headers"
import * as Utf8 from "@tollgate/contract/Utf8"
import * as Digest from "effect/crypto/Digest"
import * as Effect from "effect/Effect"
import * as Bytes from "effect/Bytes"
import type { Priced, Routed } from "../../exchange/Exchange.ts"
import type { Idempotency, Ledger, Reserved } from "@tollgate/ledger/ledger/Ledger"
import { refuse, type Refused } from "@tollgate/contract/errors/Refused"

const header = Headers.idempotencyKey.toLowerCase()

/** Up to 255 printable characters, in quotes or without. */
const keyPattern = /^(?:"([\x20\x21\x23-\x7e]{1,255})"|([\x21\x23-\x7e][\x20\x21\x23-\x7e]{0,254}))$/

const malformed = refuse("invalid_request", "Idempotency-Key must be 1 to 255 printable characters.", {
  param: Headers.idempotencyKey
})

/** What a repeat of a key gets: the stored answer, or 409. */
const modes: Readonly<Record<string, boolean>> = { replay: true, refuse: false }

const unknownMode = ({ operation }: Priced): Refused => {
  const header = Headers.idempotencyMode(operation.names)
  return refuse("invalid_request", `${header} must be replay or refuse.`, { param: header })
}

/** Unique within the account and operation. A digest, because callers may put secrets into this header. */
const idOf = (digest: Digest.Digest["Service"], { operation, principal }: Routed, key: string) =>
  digest.digestHex(Digest.sha256, Utf8.encode(JSON.stringify([principal?.account, operation.id, key])))

/** The parameters in headers, for an operation that has some. */
const headersOf = ({ input, operation }: Priced): string =>
  operation.request.header === undefined ? "" : `${JSON.stringify(input.header)}\n`

/** Detects a key that is reused for another request. */
const payloadOf = (digest: Digest.Digest["Service"], exchange: Priced) => {
  const { bytes, operation, path, query } = exchange
  const head = `${operation.method} ${path}?${query}\n${headersOf(exchange)}`
  return digest.digestHex(Digest.sha256, Bytes.concat([Utf8.encode(head), bytes]))
}

const keyIn = (text: string): string | undefined => {
  const match = keyPattern.exec(text.trim())
  return match?.[1] ?? match?.[2]
}

/** The id of the request's idempotency key. `undefined`: it has none, or it is malformed. */
export const idempotencyId = (
  digest: Digest.Digest["Service"],
  exchange: Routed
): Effect.Effect<string> | undefined => {
  const key = keyIn(exchange.request.headers[header] ?? "")
  return key === undefined ? undefined : idOf(digest, exchange, key)
}

/** Records the idempotency key, the reservation and the request in one commit, before anything is sent. */
export const reserve = (ledger: Ledger["Service"], digest: Digest.Digest["Service"], replayByDefault: boolean) => {
  const withKey = (exchange: Priced, text: string, replay: boolean): Effect.Effect<Reserved, Refused> => {
    const key = keyIn(text)
    if (key === undefined) return Effect.fail(malformed)
    return Effect.flatMap(Effect.all([idOf(digest, exchange, key), payloadOf(digest, exchange)]), ([id, payload]) => {
      const idempotency: Idempotency = { id, payload, replay }
      return ledger.reserve(exchange, idempotency)
    })
  }
  return (exchange: Priced): Effect.Effect<Reserved, Refused> => {
    const { operation, request } = exchange
    const mode = request.headers[Headers.idempotencyMode.key(operation.names)]
    const replay = mode === undefined ? replayByDefault : Object.hasOwn(modes, mode) ? modes[mode] : undefined
    if (replay === undefined) return Effect.fail(unknownMode(exchange))
    const text = request.headers[header]
    return text === undefined ? ledger.reserve(exchange, undefined) : withKey(exchange, text, replay)
  }
}
