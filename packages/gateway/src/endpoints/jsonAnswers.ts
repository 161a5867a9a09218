import { encode } from "@tollgate/contract/errors/encode"
import * as Headers from "@tollgate/contract/Headers"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import { AccountsError } from "@tollgate/ledger/account/Accounts"
import { describeSqlError } from "@tollgate/ledger/store/rows"
import { isSqlError } from "effect/sql/SqlError"
import type { FixedDocument } from "../document/FixedDocument.ts"
import { emptyBytes } from "../internal/emptyBytes.ts"
import { refuse, Refused, unavailable } from "@tollgate/contract/errors/Refused"
import { nosniff } from "./http/respond.ts"

// The answers of the APIs for operators and for accounts. Their errors have the shape of the family `data`.

type Response = HttpServerResponse.HttpServerResponse

const storeUnavailable = unavailable("The store is not available; nothing was changed.")
const failed = refuse("internal_error", "The gateway failed to handle the request; its log has the request id.")

export const reply = (
  status: number,
  body: unknown,
  requestId: string,
  headers: Readonly<Record<string, string>> = {}
): Response =>
  HttpServerResponse.jsonUnsafe(body, {
    status,
    headers: { ...nosniff, ...headers, "cache-control": "no-store", [Headers.requestId]: requestId }
  })

export const replyText = (text: string, type: string, requestId: string): Response =>
  HttpServerResponse.text(text, {
    contentType: `${type}; charset=utf-8`,
    headers: { ...nosniff, "cache-control": "no-store", [Headers.requestId]: requestId }
  })

/** A document of JSON, in a compression that the caller accepts. Nobody keeps it, so it has no tag. */
export const replyWith = (
  document: FixedDocument,
  accepted: string | undefined,
  requestId: string
): Effect.Effect<Response> =>
  Effect.map(
    document.choose({ "accept-encoding": accepted }),
    ({ bytes = emptyBytes, headers: { etag: _, ...rest } }) =>
      HttpServerResponse.uint8Array(bytes, {
        contentType: "application/json",
        headers: { ...nosniff, ...rest, "cache-control": "no-store", [Headers.requestId]: requestId }
      })
  )

export const refusal = ({ headers, refusal }: Refused, requestId: string): Response => {
  const wire = encode("data", { ...refusal, requestId })
  return reply(wire.status, wire.body, requestId, { ...wire.headers, ...headers })
}

const statuses = { missing: ["not_found", 404], conflict: ["conflict", 409] } as const

const accountsError = ({ message, reason }: AccountsError, requestId: string): Response => {
  if (reason === "denied") return refusal(refuse("access_denied", message), requestId)
  const [code, status] = statuses[reason]
  return reply(status, { error: { code, message, type: `${code}_error`, request_id: requestId } }, requestId)
}

/** The answer to a request that failed. `what` names it in the log. */
export const failure = (cause: Cause.Cause<unknown>, requestId: string, what: string): Effect.Effect<Response> => {
  if (Cause.hasInterrupts(cause)) return Effect.interrupt
  const error = Cause.squash(cause)
  if (error instanceof Refused) return Effect.succeed(refusal(error, requestId))
  if (error instanceof AccountsError) return Effect.succeed(accountsError(error, requestId))
  // Without its message, which may quote what was sent.
  const name = error instanceof Error ? error.name : typeof error
  const reason = isSqlError(error) ? describeSqlError(error) : {}
  return Effect.as(
    Effect.logError(`${what} failed`, { requestId, error: name, ...reason }),
    refusal(Cause.hasDies(cause) ? failed : storeUnavailable, requestId)
  )
}
