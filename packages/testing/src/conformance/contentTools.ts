import * as McpSchema from "effect/ai/McpSchema"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { content, png, textBlock, textResult, tool, wav } from "./fixture.ts"

const image: McpSchema.ContentBlock = { type: "image", data: png, mimeType: "image/png" }
const audio: McpSchema.ContentBlock = { type: "audio", data: wav, mimeType: "audio/wav" }
const resource = (uri: string, mimeType: string, text: string): McpSchema.ContentBlock => ({
  type: "resource",
  resource: { uri, mimeType, text }
})

const always = (name: string, result: McpSchema.CallToolResult) => tool(name, () => Effect.succeed(result))

/** Tools that answer with each kind of content. */
export const contentTools = Layer.mergeAll(
  always("test_simple_text", textResult("This is a simple text response for testing.")),
  always("test_image_content", content(image)),
  always("test_audio_content", content(audio)),
  always(
    "test_embedded_resource",
    content(resource("test://embedded-resource", "text/plain", "This is an embedded resource content."))
  ),
  always(
    "test_multiple_content_types",
    content(
      textBlock("Multiple content types test:"),
      image,
      resource("test://mixed-content-resource", "application/json", JSON.stringify({ test: "data", value: 123 }))
    )
  ),
  always(
    "test_error_handling",
    new McpSchema.CallToolResult({
      isError: true,
      content: [{ type: "text", text: "This tool intentionally returns an error for testing" }]
    })
  )
)
