import { countTokens as operation } from "@tollgate/contract/operations/countTokens"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { decode, json } from "../wire/body.ts"
import { isChatModel, unknownModel } from "../wire/model.ts"
import type { Handler } from "../BilledAnswer.ts"
import { MessagesBody } from "./body.ts"
import { promptTokens } from "./modelRequest.ts"

const read = decode(Schema.Struct({ ...MessagesBody.fields, max_tokens: Schema.optionalKey(Schema.Unknown) }))

/** Counts what `messages` would report as input. Free. */
export const countTokens: Handler = Effect.fnUntraced(function* (request) {
  const { value } = yield* json(request)
  const body = yield* read(value)
  if (!isChatModel(body.model)) return yield* unknownModel(body.model)
  return { operation: operation.id, body: { input_tokens: promptTokens(body).prompt }, billed: {} }
})
