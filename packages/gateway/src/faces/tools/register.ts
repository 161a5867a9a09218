import { CallToolResult, InternalError, McpRequestContext, Tool } from "effect/ai/McpSchema"
import { McpServer } from "effect/ai/McpServer"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { CurrentCaller } from "./Caller.ts"
import type { CallMessage } from "./CallMessage.ts"
import type { Content, make } from "./handlers.ts"
import { progressOf } from "./progress.ts"
import { resultOf } from "./result.ts"

const callResult = (content: Content, message: CallMessage): CallToolResult => {
  const { blocks, structured, text } = resultOf(content, message)
  return new CallToolResult({
    content: [{ type: "text", text }, ...blocks],
    ...(structured === undefined ? {} : { structuredContent: structured }),
    isError: content.error !== undefined
  })
}

const withoutCaller = Effect.fail(new InternalError({ message: "The tool was called without a request." }))

/** Registers the tools with the MCP server. */
export const register = (handlers: ReturnType<typeof make>): Layer.Layer<never, never, McpServer> =>
  Layer.effectDiscard(
    McpServer.use((server) =>
      Effect.forEach(
        handlers,
        ([{ description, hints, inputSchema, name, title }, handle]) =>
          server.addTool({
            tool: new Tool({ name, title, description, inputSchema, annotations: { title, ...hints } }),
            annotations: Context.empty(),
            handle: (payload: unknown) =>
              Effect.gen(function* () {
                const caller = yield* CurrentCaller
                if (caller === undefined) return yield* withoutCaller
                const request = yield* McpRequestContext
                const { protocolVersion: revision, requestMetadata: metadata } = request
                const message = { revision, metadata, progress: progressOf(server, request) }
                return yield* caller.calls.track(
                  Effect.map(handle(caller, payload, message), (content) => callResult(content, message))
                )
              })
          }),
        { discard: true }
      )
    )
  )
