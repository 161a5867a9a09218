import { fill } from "@tollgate/contract/Names"
import { follow as operation } from "@tollgate/contract/operations/follow"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { InvalidInput, type Handler } from "../../Work.ts"
import { Access } from "./sealed.ts"

const scope = "follows.write"

const object = Schema.decodeUnknownEffect(Schema.fromJsonString(Schema.Record(Schema.String, Schema.Unknown)))

/** Follows whomever the body names, for the user who approved: the body is not shown, so any object will do. */
export const follow: Handler = Effect.fnUntraced(function* (request, { names }) {
  const [, bearer = ""] = /^Bearer +(\S+)$/i.exec(request.headers["authorization"] ?? "") ?? []
  const grant = Access.open(bearer)
  if (grant === undefined || grant.until <= (yield* Clock.currentTimeMillis)) {
    return yield* new InvalidInput({ message: "no such token, or no longer", status: 401, code: "unauthorized" })
  }
  if (!grant.scope.split(" ").includes(scope)) {
    return yield* new InvalidInput({ message: `the token lacks ${scope}`, status: 403, code: "insufficient_scope" })
  }
  const text = yield* request.text.pipe(Effect.orElseSucceed(() => ""))
  if (text !== "") {
    yield* object(text).pipe(Effect.mapError(() => new InvalidInput({ message: "the body is no object of JSON" })))
  }
  return {
    operation: fill(operation.id, names),
    body: { data: { following: true, pending_follow: false } },
    billed: { requests: 1 }
  }
})
