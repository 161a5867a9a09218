import type { RateLimits } from "@tollgate/contract/RateLimits"
import { CallToolResult, InternalError, McpRequestContext, Tool } from "effect/ai/McpSchema"
import { McpServer } from "effect/ai/McpServer"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import { batch, noCalls } from "./batch.ts"
import { blocksOf } from "./blocks.ts"
import { type Caller, CurrentCaller } from "./Caller.ts"
import { detailsOf, foundOf } from "./lookupShapes.ts"
import { limitsLeft } from "./limitsLeft.ts"
import { prepare, unknownOperation } from "./prepare.ts"
import { progressOf } from "./progress.ts"
import { inputReader } from "./inputs.ts"
import { errorOf } from "./refusal.ts"
import type { ToolError, Used } from "./shapes.ts"
import { turns } from "../../internal/Turns.ts"
import { tools } from "./tools.ts"
import { inToolSpan } from "./toolSpan.ts"
import { refuse, use } from "./use.ts"

export interface Settings {
  /** How long `use` waits for a task if the client wants progress and does not say. */
  readonly waitSeconds: number
  /** Time between two polls of a task. */
  readonly pollMillis: number
}

type Content = object & { readonly error?: ToolError }

type Handled = Effect.Effect<Content, never, McpRequestContext>

const resultOf = (content: Content): CallToolResult => {
  const { blocks, shown, structured } = blocksOf(content)
  return new CallToolResult({
    content: [{ type: "text", text: JSON.stringify(shown) }, ...blocks],
    structuredContent: structured,
    isError: content.error !== undefined
  })
}

const withoutCaller = Effect.fail(new InternalError({ message: "The tool was called without a request." }))

const register = <I extends Schema.ConstraintDecoder<unknown>>(
  tool: (typeof tools)[keyof typeof tools] & { readonly input: I },
  handle: (caller: Caller, input: I["Type"]) => Handled,
  /** What the output schema requires, for an input that cannot be read: clients check errors against it too. */
  required: (payload: unknown) => object = () => ({})
) => {
  const read = inputReader(tool.input, tool.inputSchema)
  const { description, hints, inputSchema, name, outputSchema, title } = tool
  return McpServer.use((server) =>
    server.addTool({
      tool: new Tool({ name, title, description, inputSchema, outputSchema, annotations: { title, ...hints } }),
      annotations: Context.empty(),
      handle: (payload: unknown) =>
        Effect.flatMap(CurrentCaller, (caller) => {
          if (caller === undefined) return withoutCaller
          const input = read(payload)
          const handled = inToolSpan(name, caller, (caller) =>
            Result.isSuccess(input)
              ? handle(caller, input.success)
              : Effect.map(counted(caller, Effect.succeed({ error: input.failure })), (content) => ({
                  ...required(payload),
                  ...content
                }))
          )
          // To write a large result takes a turn of its own.
          return caller.calls.track(Effect.map(Effect.tap(handled, turns.next), resultOf))
        })
    })
  )
}

/** Answers without a call. It counts as a request, as free operations do. */
const counted = (
  { authenticated, gateway }: Caller,
  answer: Effect.Effect<Content>
): Effect.Effect<Content & { readonly limits?: unknown }> =>
  Effect.matchEffect(gateway.count(authenticated), {
    onSuccess: (limits: RateLimits) => Effect.map(answer, (content) => ({ ...content, ...limitsLeft(limits) })),
    onFailure: (refused) => Effect.succeed<Content>({ error: errorOf(refused, false) })
  })

const notFound = (caller: Caller, operationId: string): Effect.Effect<Content> =>
  Effect.map(unknownOperation(caller, operationId), (error) => ({ error }))

const operationIn = (payload: unknown): Partial<Pick<Used, "operation_id">> =>
  Predicate.hasProperty(payload, "operation_id") && Predicate.isString(payload.operation_id)
    ? { operation_id: payload.operation_id }
    : {}

/** Registers the five tools. */
export const layer = (settings: Settings): Layer.Layer<never, never, McpServer> =>
  Layer.effectDiscard(
    Effect.gen(function* () {
      const server = yield* McpServer
      const progress = progressOf(server)

      yield* register(tools.search, (caller, { query, ...options }) =>
        counted(
          caller,
          Effect.map(caller.catalogue, (catalogue) => {
            const note = catalogue.searchNote(query, options)
            const results = catalogue.search(query, options).map(foundOf)
            return { results, ...(note === undefined ? {} : { note }) }
          })
        )
      )
      yield* register(tools.getDetails, (caller, { operation_id }) =>
        counted(
          caller,
          Effect.flatMap(caller.catalogue, (catalogue): Effect.Effect<Content> => {
            const details = catalogue.details(operation_id)
            return details === undefined
              ? notFound(caller, operation_id)
              : Effect.succeed({ details: detailsOf(details) })
          })
        )
      )
      yield* register(tools.listCategories, (caller) =>
        counted(
          caller,
          Effect.map(caller.catalogue, ({ categories }) => ({ categories }))
        )
      )
      yield* register(
        tools.use,
        Effect.fnUntraced(function* (caller, { wait_seconds, ...input }) {
          const prepared = yield* Effect.result(prepare(caller, input))
          if (Result.isFailure(prepared)) {
            return yield* refuse(caller, input.operation_id, prepared.failure)
          }
          const reporting = yield* progress
          const seconds = wait_seconds ?? (reporting.isWanted ? settings.waitSeconds : 0)
          const waiting = { seconds, pollMillis: settings.pollMillis }
          return (yield* use(caller, prepared.success, reporting, waiting)).used
        }),
        operationIn
      )
      yield* register(
        tools.batchUse,
        Effect.fnUntraced(function* (caller, input) {
          return yield* batch(caller, input, yield* progress)
        }),
        () => noCalls
      )
    })
  )
