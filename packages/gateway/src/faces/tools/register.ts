import {
  CallToolResult,
  ElicitRequestURLParams,
  type InputRequired,
  InternalError,
  McpRequestContext,
  McpServerClient,
  Tool
} from "effect/ai/McpSchema"
import { McpServer } from "effect/ai/McpServer"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { CurrentCaller } from "./Caller.ts"
import type { CallMessage } from "./CallMessage.ts"
import type { Content, make } from "./handlers.ts"
import { progressOf } from "./progress.ts"
import { resultOf } from "./result.ts"

const callResult = (content: Content, message: CallMessage): CallToolResult | InputRequired => {
  if (content.asks !== undefined) return content.asks
  const { blocks, structured, text } = resultOf(content, message)
  return new CallToolResult({
    content: [{ type: "text", text }, ...blocks],
    ...(structured === undefined ? {} : { structuredContent: JSON.parse(JSON.stringify(structured)) as object }),
    isError: content.error !== undefined
  })
}

/** How the client of a session is asked to show a page. `undefined`: it cannot, or it has no session. */
const pagesOf = (client: McpServerClient["Service"] | undefined): CallMessage["showPage"] =>
  client?.clientCapabilities.elicitation?.url === undefined
    ? undefined
    : ({ id, message, url }) =>
        Effect.scoped(
          Effect.flatMap(client.getClient, ({ elicit }) =>
            Effect.map(
              elicit(new ElicitRequestURLParams({ mode: "url", elicitationId: id, url, message })),
              ({ action }) => action
            )
          )
        )

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
                const { inputResponses, protocolVersion: revision, requestMetadata: metadata, requestState } = request
                const progress = progressOf(server, request)
                const showPage = pagesOf(Option.getOrUndefined(yield* Effect.serviceOption(McpServerClient)))
                const message = {
                  revision,
                  metadata,
                  progress,
                  takesTasks: false,
                  requestState,
                  inputResponses,
                  showPage
                }
                return yield* caller.calls.track(
                  Effect.map(handle(caller, payload, message), (content) => callResult(content, message))
                )
              })
          }),
        { discard: true }
      )
    )
  )
