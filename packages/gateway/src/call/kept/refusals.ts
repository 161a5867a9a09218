import { invalid, refuse, type Refused } from "@tollgate/contract/errors/Refused"
import { describeSqlError } from "@tollgate/ledger/store/rows"
import * as Effect from "effect/Effect"
import type { SqlError } from "effect/sql/SqlError"
import type { ConversationItem, KeptConversations } from "../../cache/KeptConversations.ts"
import type { KeptResponses } from "../../cache/KeptResponses.ts"

export const nothingKept = (param: string): Refused =>
  invalid(param, "this gateway keeps no responses; send the items of the conversation in `input`.")

const megabytes = (bytes: number): string => `${Math.round((bytes / 1024 / 1024) * 100) / 100} MB`

/** Of what was never there, of what is another account's, and of what is not kept any more. */
export const notKept = (
  code: "previous_response_not_found" | "response_not_found",
  what: string,
  id: string,
  kept: Pick<KeptResponses["Service"], "bounds" | "largest"> | undefined,
  param?: string
): Refused => {
  const bounds =
    kept === undefined
      ? "This gateway keeps none."
      : `Responses are kept for ${kept.bounds.days} days: up to ${megabytes(kept.largest)} each with its input, and ${megabytes(kept.bounds.ofAccount)} of an account, of which the oldest go first.`
  const named = id.length > 100 ? `${id.slice(0, 100)}…` : id
  return refuse(code, `${what} with id '${named}' not found. ${bounds}`, param === undefined ? {} : { param })
}

export const conversationTooLarge = (most: number): Refused =>
  refuse("body_too_large", `With the responses that it refers to, the conversation is larger than ${most} bytes.`)

/** Reads the store for a call that needs what is there. */
export const orRefuse = <A>(found: Effect.Effect<A, SqlError>): Effect.Effect<A, Refused> =>
  Effect.catch(found, (error) =>
    Effect.andThen(
      Effect.logWarning("reading a kept response failed", describeSqlError(error)),
      Effect.fail(refuse("billing_unavailable", "Kept responses cannot be read at the moment.", { retryAfter: 1_000 }))
    )
  )

/** The items of a conversation, unless they are more than anybody may read. */
export const readItems = (
  { items, largest }: KeptConversations["Service"],
  account: string,
  id: string
): Effect.Effect<ReadonlyArray<ConversationItem>, Refused> =>
  Effect.flatMap(orRefuse(items(account, id)), (found) =>
    found === undefined ? Effect.fail(conversationTooLarge(largest)) : Effect.succeed(found)
  )
