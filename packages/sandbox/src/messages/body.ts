import { Maybe } from "@tollgate/contract/Open"
import * as Schema from "effect/Schema"
import { Count, NonEmpty, Sequences } from "../wire/fields.ts"

const marked = { cache_control: Maybe(Schema.Unknown) }

const Text = Schema.Struct({ type: Schema.Literal("text"), text: Schema.String, ...marked })

const Media = Schema.Struct({ type: Schema.Literals(["image", "document", "search_result"]), ...marked })

const Block = Schema.Union([
  Text,
  Media,
  Schema.Struct({ type: Schema.Literal("tool_use"), name: Schema.String, input: Schema.Unknown, ...marked }),
  Schema.Struct({
    type: Schema.Literal("tool_result"),
    tool_use_id: Schema.String,
    content: Maybe(Schema.Union([Schema.String, Schema.Array(Schema.Union([Text, Media]))])),
    ...marked
  }),
  Schema.Struct({ type: Schema.Literals(["thinking", "redacted_thinking"]) })
])
export type Block = typeof Block.Type

const Tool = Schema.Struct({
  name: Schema.NonEmptyString,
  description: Maybe(Schema.String),
  input_schema: Maybe(Schema.Unknown),
  ...marked
})
export type Tool = typeof Tool.Type

const shown = { display: Maybe(Schema.Literals(["summarized", "omitted"])) }

/** The fields of a body in the Anthropic format that the sandbox reads. */
export const MessagesBody = Schema.Struct({
  model: Schema.String,
  max_tokens: Count,
  messages: NonEmpty(
    Schema.Struct({
      role: Schema.Literals(["user", "assistant"]),
      content: Schema.Union([Schema.String, NonEmpty(Block)])
    })
  ),
  system: Maybe(Schema.Union([Schema.String, Schema.Array(Text)])),
  tools: Maybe(Schema.Array(Tool)),
  tool_choice: Maybe(
    Schema.Union([
      Schema.Struct({ type: Schema.Literals(["auto", "any", "none"]) }),
      Schema.Struct({ type: Schema.Literal("tool"), name: Schema.String })
    ])
  ),
  thinking: Maybe(
    Schema.Union([
      Schema.Struct({
        type: Schema.Literal("enabled"),
        budget_tokens: Schema.Int.check(Schema.isGreaterThanOrEqualTo(1024)),
        ...shown
      }),
      Schema.Struct({ type: Schema.Literal("adaptive"), ...shown }),
      Schema.Struct({ type: Schema.Literals(["disabled", "between_tools"]) })
    ])
  ),
  output_config: Maybe(
    Schema.Struct({
      effort: Maybe(Schema.Literals(["low", "medium", "high", "xhigh", "max"])),
      format: Maybe(Schema.Struct({ type: Schema.Literal("json_schema"), schema: Schema.Unknown }))
    })
  ),
  stop_sequences: Maybe(Sequences),
  stream: Maybe(Schema.Boolean)
})
export type MessagesBody = typeof MessagesBody.Type
