import * as Effect from "effect/Effect"
import type { HttpServerResponse } from "effect/http/HttpServerResponse"
import * as Result from "effect/Result"
import { oauthError } from "./answers.ts"
import { clientMetadata } from "./clientMetadata.ts"
import type { Storage } from "./Storage.ts"

/** Anybody may register, so their number is bounded. Unused ones expire after a day. */
const maxClients = 10_000

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
  if (yield* Effect.orDie(storage.hasAtLeast("Client", maxClients))) {
    const full = "too many clients are registered; try again tomorrow, or use a client id metadata document"
    return yield* Effect.fail<HttpServerResponse>(oauthError(503, "temporarily_unavailable", full))
  }
  const { client_id: _, ...body } = checked.success
  return new TextEncoder().encode(JSON.stringify(body))
})
