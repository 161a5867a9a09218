import { McpServer } from "effect/ai/McpServer"
import * as McpSchema from "effect/ai/McpSchema"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

type Properties = NonNullable<McpSchema.ToolJson["properties"]>

export const content = (...blocks: ReadonlyArray<McpSchema.ContentBlock>) =>
  new McpSchema.CallToolResult({ content: [...blocks] })

export const textBlock = (text: string): McpSchema.ContentBlock => ({ type: "text", text })

export const textResult = (text: string) => content(textBlock(text))

export const invalid = (message: string) => new McpSchema.InvalidParams({ message })

type Outcome = McpSchema.CallToolResult | McpSchema.InputRequired

/** A tool that the suite calls by this name. */
export const tool = (
  name: string,
  handle: (
    input: Readonly<Record<string, unknown>>
  ) => Effect.Effect<Outcome, McpSchema.InvalidParams | McpSchema.InternalError, McpSchema.McpRequestContext>,
  properties: Properties = {}
) =>
  Layer.effectDiscard(
    McpServer.use(({ addTool }) =>
      addTool({
        tool: new McpSchema.Tool({
          name,
          description: "A fixture of the conformance suite",
          inputSchema: { type: "object", properties }
        }),
        annotations: Context.empty(),
        handle
      })
    )
  )

/** What the client answered to one input request, if it has the field. */
export const answered = (
  { inputResponses }: McpSchema.McpRequestContext["Service"],
  name: string
): Readonly<Record<string, unknown>> | undefined => inputResponses?.[name]

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null

/** A field of the form that the user filled in. */
export const formField = (answer: Readonly<Record<string, unknown>> | undefined, field: string): unknown =>
  isObject(answer?.content) ? answer.content[field] : undefined

export const png = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==",
  "base64"
)
export const wav = Buffer.from("UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAAB9AAACABAAZGF0YQIAAAA=", "base64")
