import { Maybe } from "@tollgate/contract/Open"
import { imageGenerate } from "@tollgate/contract/operations/imageGenerate"
import * as Effect from "effect/Effect"
import * as Base64 from "effect/encoding/Base64"
import * as Schema from "effect/Schema"
import { created } from "../chat/Generation.ts"
import { seededInts } from "../text/hash.ts"
import { decode, json } from "../wire/body.ts"
import { upTo } from "../wire/fields.ts"
import { isChatModel, unknownModel } from "../wire/model.ts"
import type { Handler } from "../BilledAnswer.ts"
import { png } from "./png.ts"

const read = decode(Schema.Struct({ prompt: Schema.NonEmptyString, model: Maybe(Schema.String), n: Maybe(upTo(4)) }))

const side = 32

/** A gradient between two colours that depend on the prompt. */
const paint = (prompt: string, index: number): Uint8Array => {
  const nextInt = seededInts(`${index}\n${prompt}`)
  const from = [nextInt(256), nextInt(256), nextInt(256)] as const
  const to = [nextInt(256), nextInt(256), nextInt(256)] as const
  return png(side, (x, y) => {
    const mix = (i: 0 | 1 | 2) => Math.round(from[i] + ((to[i] - from[i]) * (x + y)) / (2 * side - 2))
    return [mix(0), mix(1), mix(2)]
  })
}

export const images: Handler = Effect.fnUntraced(function* (request) {
  const { value } = yield* json(request)
  const { model, n, prompt } = yield* read(value)
  if (typeof model === "string" && !isChatModel(model)) return yield* unknownModel(model)
  const data = Array.from({ length: n ?? 1 }, (_, index) => ({ b64_json: Base64.encode(paint(prompt, index)) }))
  return { operation: imageGenerate.id, body: { created, data }, billed: { requests: 1 } }
})
