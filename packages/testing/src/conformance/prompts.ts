import * as McpSchema from "effect/ai/McpSchema"
import * as McpServer from "effect/ai/McpServer"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { answered, formField, png, textBlock } from "./fixture.ts"
import { form, needs } from "./inputTools.ts"

const user = (content: McpSchema.ContentBlock): McpSchema.PromptMessage => ({ role: "user", content })

const description = "A fixture of the conformance suite"
const describe = (description: string) => Schema.String.annotate({ description })

/** A prompt that asks the client for input before it can be given. */
const needsInput = Layer.effectDiscard(
  McpServer.McpServer.use(({ addPrompt }) =>
    addPrompt({
      prompt: new McpSchema.Prompt({ name: "test_input_required_result_prompt", description, arguments: [] }),
      annotations: Context.empty(),
      completions: {},
      handle: () =>
        McpSchema.McpRequestContext.useSync((context) => {
          const given = formField(answered(context, "user_context"), "context")
          return given === undefined
            ? needs({ user_context: form("What context should the prompt use?", "context") })
            : new McpSchema.GetPromptResult({ messages: [user(textBlock(`Prompt with context: ${String(given)}`))] })
        })
    })
  )
)

/** Prompts of each kind. */
export const prompts = Layer.mergeAll(
  McpServer.prompt({
    name: "test_simple_prompt",
    description,
    content: () => Effect.succeed([user(textBlock("This is a simple prompt for testing."))])
  }),
  McpServer.prompt({
    name: "test_prompt_with_arguments",
    description,
    parameters: { arg1: describe("First test argument"), arg2: describe("Second test argument") },
    completion: { arg1: () => Effect.succeed(["paris", "park", "party"]) },
    content: ({ arg1, arg2 }) =>
      Effect.succeed([user(textBlock(`Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`))])
  }),
  McpServer.prompt({
    name: "test_prompt_with_embedded_resource",
    description,
    parameters: { resourceUri: describe("URI of the resource to embed") },
    content: ({ resourceUri: uri }) =>
      Effect.succeed([
        user({
          type: "resource",
          resource: { uri, mimeType: "text/plain", text: "Embedded resource content for testing." }
        }),
        user(textBlock("Please process the embedded resource above."))
      ])
  }),
  McpServer.prompt({
    name: "test_prompt_with_image",
    description,
    content: () =>
      Effect.succeed([
        user({ type: "image", data: new Uint8Array(png), mimeType: "image/png" }),
        user(textBlock("Please analyze the image above."))
      ])
  }),
  needsInput
)
