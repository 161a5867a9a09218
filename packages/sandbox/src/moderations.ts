import { Maybe } from "@tollgate/contract/Open"
import { moderations as operation } from "@tollgate/contract/operations/moderations"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { Handler } from "./BilledAnswer.ts"
import { count, perMedia } from "./text/tokens.ts"
import { chatModel, decode, isChatModel, json, unknownModel } from "./wire/body.ts"

const Part = Schema.Struct({ type: Schema.Literals(["text", "image_url"]), text: Maybe(Schema.String) })

const read = decode(
  Schema.Struct({
    model: Maybe(Schema.String),
    input: Schema.Union([Schema.String, Schema.Array(Schema.String), Schema.Array(Part)])
  })
)

const words = { violence: /\b(?:kill|shoot|stab|bomb)/i, harassment: /\b(?:idiot|stupid)/i, hate: /\bhate\b/i }

/** A few words decide. */
const resultOf = (text: string) => {
  const found = Object.entries(words).map(([name, word]) => [name, word.test(text)] as const)
  return {
    flagged: found.some(([, isFound]) => isFound),
    categories: Object.fromEntries(found),
    category_scores: Object.fromEntries(found.map(([name, isFound]) => [name, isFound ? 0.9 : 0.01]))
  }
}

const tokensOf = ({ text }: { readonly text?: string | null | undefined }): number =>
  typeof text === "string" ? count(text) : perMedia

/** Scores each text, and parts together. */
export const moderations: Handler = Effect.fnUntraced(function* (request) {
  const { value } = yield* json(request)
  const { input, model } = yield* read(value)
  if (typeof model === "string" && !isChatModel(model)) return yield* unknownModel(model)
  const items = (typeof input === "string" ? [input] : input).map((item) =>
    typeof item === "string" ? { text: item } : item
  )
  const isParts = typeof input === "object" && typeof input[0] === "object"
  const texts = isParts ? [items.map(({ text }) => text ?? "").join("\n")] : items.map(({ text }) => text ?? "")
  const tokens = items.reduce((sum, item) => sum + tokensOf(item), 0)
  return {
    operation: operation.id,
    body: {
      id: "modr_sandbox",
      model: chatModel,
      results: texts.map(resultOf),
      usage: { prompt_tokens: tokens, total_tokens: tokens }
    },
    billed: { input: tokens, output: 0, cacheRead: 0, cacheWrite: 0 }
  }
})
