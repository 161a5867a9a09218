import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type { HttpServerResponse } from "effect/http/HttpServerResponse"
import * as Result from "effect/Result"
import { unusedClientMillis } from "./Adapter.ts"
import { oauthError } from "./answers.ts"
import { clientMetadata } from "./clientMetadata.ts"
import type { Storage } from "./Storage.ts"

/** Anybody may register, so their number is bounded. Unused ones expire after a day. */
const maxClients = 10_000
/** A person may be deciding on a client that is newer than this. */
const newClientMillis = 10 * 60_000

/** One address may register more than that in a day, so the oldest clients that nobody used make room. */
const hasRoom = Effect.fnUntraced(function* (storage: Storage) {
  if (!(yield* storage.hasAtLeast("Client", maxClients))) return true
  const now = yield* Clock.currentTimeMillis
  return yield* storage.deleteFirst("Client", now + unusedClientMillis - newClientMillis)
}, Effect.orDie)

const parse = (bytes: Uint8Array): unknown => {
  try {
    return JSON.parse(new TextDecoder().decode(bytes)) as unknown
  } catch {
    return undefined
  }
}

/** Checks a registration (RFC 7591) before the server sees it. Succeeds with the body to register. */
export const checkRegistration = Effect.fnUntraced(function* (storage: Storage, bytes: Uint8Array) {
  const checked = clientMetadata(parse(bytes))
  if (Result.isFailure(checked)) {
    const { description, error } = checked.failure
    return yield* Effect.fail(oauthError(400, error, description))
  }
  if (!(yield* hasRoom(storage))) {
    const full = "too many clients are registered; try again in ten minutes, or use a client id metadata document"
    return yield* Effect.fail<HttpServerResponse>(oauthError(503, "temporarily_unavailable", full))
  }
  const { client_id: _, ...body } = checked.success
  return new TextEncoder().encode(JSON.stringify(body))
})
