import { fill } from "@tollgate/contract/Names"
import { follow as operation } from "@tollgate/contract/operations/follow"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { InvalidInput, type Handler, refusedWith } from "../../BilledAnswer.ts"
import { Access } from "./tokens.ts"

const scope = "follows.write"

const object = Schema.decodeUnknownEffect(Schema.fromJsonString(Schema.Record(Schema.String, Schema.Unknown)))

/** Follows a user. The interface does not define the body, so any JSON object is accepted. */
export const follow: Handler = Effect.fnUntraced(function* (request, { names }) {
  const [, bearer = ""] = /^Bearer +(\S+)$/i.exec(request.headers["authorization"] ?? "") ?? []
  const grant = Access.open(bearer)
  if (grant === undefined || grant.until <= (yield* Clock.currentTimeMillis)) {
    return yield* refusedWith(401, "unauthorized", "the access token is unknown or expired")
  }
  if (!grant.scope.split(" ").includes(scope)) {
    return yield* refusedWith(403, "insufficient_scope", `the access token lacks the scope ${scope}`)
  }
  const text = yield* request.text.pipe(Effect.orElseSucceed(() => ""))
  if (text !== "") {
    yield* object(text).pipe(Effect.mapError(() => new InvalidInput({ message: "the body is not a JSON object" })))
  }
  return {
    operation: fill(operation.id, names),
    body: { data: { following: true, pending_follow: false } },
    billed: { requests: 1 }
  }
})
