import * as McpSchema from "effect/ai/McpSchema"
import * as McpServer from "effect/ai/McpServer"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { png } from "./fixture.ts"

const fixed = (name: string, mimeType: string, content: { readonly text: string } | { readonly blob: Uint8Array }) => {
  const uri = `test://${name}`
  const contents = [{ uri, mimeType, ...content }]
  return McpServer.resource({ uri, name, mimeType, content: Effect.succeed({ contents }) })
}

const id = McpSchema.param("id", Schema.String)

/** Resources of each kind. */
export const resources = Layer.mergeAll(
  fixed("static-text", "text/plain", { text: "This is the content of the static text resource." }),
  fixed("static-binary", "image/png", { blob: new Uint8Array(png) }),
  fixed("watched-resource", "text/plain", { text: "Watched resource content" }),
  McpServer.resource`test://template/${id}/data`({
    name: "template",
    mimeType: "application/json",
    content: (uri, id) =>
      Effect.succeed({
        contents: [
          {
            uri,
            mimeType: "application/json",
            text: JSON.stringify({ id, templateTest: true, data: `Data for ID: ${id}` })
          }
        ]
      })
  })
)
