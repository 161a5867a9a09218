import { Maybe } from "@tollgate/contract/Open"
import * as Schema from "effect/Schema"
import { Count, NonEmpty, Sequences, upTo } from "../wire/fields.ts"

const Part = Schema.Union([
  Schema.Struct({ type: Schema.Literal("text"), text: Schema.String }),
  Schema.Struct({ type: Schema.Literals(["image_url", "input_audio", "file", "refusal"]) })
])

const Message = Schema.Struct({
  role: Schema.Literals(["system", "developer", "user", "assistant", "tool"]),
  content: Maybe(Schema.Union([Schema.String, Schema.Array(Part)])),
  tool_calls: Maybe(Schema.Array(Schema.Unknown))
})
export type Message = typeof Message.Type

const Tool = Schema.Struct({
  type: Schema.Literal("function"),
  function: Schema.Struct({
    name: Schema.NonEmptyString,
    description: Maybe(Schema.String),
    parameters: Maybe(Schema.Unknown)
  })
})

/** The fields of a body in the OpenAI format that the sandbox reads. */
export const ChatBody = Schema.Struct({
  model: Schema.String,
  messages: NonEmpty(Message),
  max_tokens: Maybe(Count),
  max_completion_tokens: Maybe(Count),
  n: Maybe(upTo(8)),
  reasoning_effort: Maybe(Schema.Literals(["none", "minimal", "low", "medium", "high", "xhigh", "max"])),
  logprobs: Maybe(Schema.Boolean),
  top_logprobs: Maybe(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 20 }))),
  stop: Maybe(Schema.Union([Schema.NonEmptyString, Sequences])),
  stream: Maybe(Schema.Boolean),
  stream_options: Maybe(Schema.Struct({ include_usage: Maybe(Schema.Boolean) })),
  tools: Maybe(Schema.Array(Tool)),
  tool_choice: Maybe(
    Schema.Union([
      Schema.Literals(["none", "auto", "required"]),
      Schema.Struct({ type: Schema.Literal("function"), function: Schema.Struct({ name: Schema.String }) })
    ])
  ),
  response_format: Maybe(
    Schema.Struct({
      type: Schema.Literals(["text", "json_object", "json_schema"]),
      json_schema: Maybe(Schema.Struct({ schema: Maybe(Schema.Unknown) }))
    })
  )
})
export type ChatBody = typeof ChatBody.Type
