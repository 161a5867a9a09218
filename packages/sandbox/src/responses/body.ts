import { Maybe } from "@tollgate/contract/Open"
import * as Schema from "effect/Schema"
import { Count } from "../wire/fields.ts"

const Part = Schema.Union([
  Schema.Struct({ type: Schema.Literals(["input_text", "output_text"]), text: Schema.String }),
  Schema.Struct({ type: Schema.Literals(["input_image", "input_file", "input_audio", "refusal"]) })
])

const Content = Schema.Union([Schema.String, Schema.Array(Part)])
export type Content = typeof Content.Type

const Message = Schema.Struct({
  type: Maybe(Schema.Literal("message")),
  role: Schema.Literals(["system", "developer", "user", "assistant"]),
  content: Content
})

const Item = Schema.Union([
  Message,
  Schema.Struct({ type: Schema.Literal("function_call_output"), call_id: Schema.String, output: Content }),
  Schema.Struct({
    type: Schema.Literal("function_call"),
    call_id: Schema.String,
    name: Schema.String,
    arguments: Schema.String
  }),
  Schema.Struct({ type: Schema.Literals(["reasoning", "custom_tool_call", "custom_tool_call_output", "compaction"]) })
])
export type Item = typeof Item.Type

const Tool = Schema.Union([
  Schema.Struct({
    type: Schema.Literal("function"),
    name: Schema.NonEmptyString,
    description: Maybe(Schema.String),
    parameters: Maybe(Schema.Unknown)
  }),
  Schema.Struct({ type: Schema.Literals(["custom", "web_search", "file_search", "code_interpreter", "mcp"]) })
])

/** The fields of a body in the format of OpenAI's Responses that the sandbox reads. */
export const ResponsesBody = Schema.Struct({
  model: Schema.String,
  input: Schema.Union([Schema.String, Schema.Array(Item).check(Schema.isMinLength(1))]),
  instructions: Maybe(Schema.String),
  max_output_tokens: Maybe(Count),
  stream: Maybe(Schema.Boolean),
  tools: Maybe(Schema.Array(Tool)),
  tool_choice: Maybe(
    Schema.Union([
      Schema.Literals(["none", "auto", "required"]),
      Schema.Struct({ type: Schema.Literal("function"), name: Schema.String })
    ])
  ),
  text: Maybe(
    Schema.Struct({
      format: Maybe(
        Schema.Struct({
          type: Schema.Literals(["text", "json_object", "json_schema"]),
          schema: Maybe(Schema.Unknown)
        })
      )
    })
  ),
  reasoning: Maybe(Schema.Struct({ effort: Maybe(Schema.String), summary: Maybe(Schema.String) })),
  include: Maybe(Schema.Array(Schema.String))
})
export type ResponsesBody = typeof ResponsesBody.Type
