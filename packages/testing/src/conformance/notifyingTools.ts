import { McpServer } from "effect/ai/McpServer"
import * as McpSchema from "effect/ai/McpSchema"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { textResult, tool } from "./fixture.ts"

/** The token under which the caller wants to hear of progress. */
const progressToken = McpSchema.McpRequestContext.useSync(({ requestMetadata }) => {
  const token: unknown = requestMetadata?.progressToken
  return typeof token === "string" || typeof token === "number" ? token : undefined
})

const withServer = <E, R>(
  use: (server: McpServer["Service"]) => Layer.Layer<never, E, R | McpServer>
): Layer.Layer<never, E, R | McpServer> => Layer.unwrap(McpServer.useSync(use))

/** Tools that send notifications while they run. */
export const notifyingTools = withServer(({ notifications }) => {
  const log = (data: string) => notifications["notifications/message"]({ level: "info", data })

  const progress = (progress: number) =>
    Effect.flatMap(progressToken, (token) =>
      token === undefined
        ? Effect.void
        : notifications["notifications/progress"]({ progressToken: token, progress, total: 100 })
    )

  return Layer.mergeAll(
    tool("test_tool_with_logging", () =>
      Effect.as(
        Effect.forEach(["Tool execution started", "Tool processing data", "Tool execution completed"], log),
        textResult("Tool with logging executed successfully")
      )
    ),
    tool("test_logging_tool", () => Effect.as(log("Logged"), textResult("Logging evaluated"))),
    tool("test_tool_with_progress", () => Effect.as(Effect.forEach([0, 50, 100], progress), textResult("Done"))),
    tool("test_streaming_elicitation", () => Effect.as(progress(50), textResult("Streaming complete"))),
    tool("test_trigger_tool_change", () =>
      Effect.as(notifications["notifications/tools/list_changed"]({}), textResult("Changed"))
    ),
    tool("test_trigger_prompt_change", () =>
      Effect.as(notifications["notifications/prompts/list_changed"]({}), textResult("Changed"))
    )
  )
})
