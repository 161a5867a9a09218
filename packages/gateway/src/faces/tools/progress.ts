import * as McpSchema from "effect/ai/McpSchema"
import type { McpServer } from "effect/ai/McpServer"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"

/** Tells the client how far a call is. Does nothing if the client did not ask for it. */
export interface Progress {
  readonly isWanted: boolean
  /** `done` grows from report to report. */
  readonly report: (done: number, message: string, total?: number) => Effect.Effect<void>
}

export const silent: Progress = { isWanted: false, report: () => Effect.void }

const tokenIn = (metadata: unknown): string | number | undefined => {
  if (typeof metadata !== "object" || metadata === null || !("progressToken" in metadata)) return undefined
  const { progressToken } = metadata
  return typeof progressToken === "string" || typeof progressToken === "number" ? progressToken : undefined
}

/** The progress of the current request, under the token that it names. */
export const progressOf = (server: McpServer["Service"]): Effect.Effect<Progress, never, McpSchema.McpRequestContext> =>
  Effect.contextWith((context: Context.Context<McpSchema.McpRequestContext>) => {
    const request = Context.get(context, McpSchema.McpRequestContext)
    const progressToken = tokenIn(request.requestMetadata)
    if (progressToken === undefined) return Effect.succeed(silent)
    const notify = server.notifications["notifications/progress"]
    return Effect.succeed({
      isWanted: true,
      report: (progress: number, message: string, total?: number) =>
        Effect.ignore(
          Effect.provideService(
            notify({ progressToken, progress, message, ...(total === undefined ? {} : { total }) }),
            McpSchema.McpRequestContext,
            request
          )
        )
    })
  })
