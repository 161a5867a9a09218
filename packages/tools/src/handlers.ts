import type { RateLimits } from "@tollgate/contract/RateLimits"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import type { Tasks } from "@tollgate/gateway/call/task/Tasks"
import { parse, type TraceContext } from "@tollgate/gateway/observe/trace/TraceContext"
import { unrecorded } from "@tollgate/gateway/observe/trace/Tracing"
import { asksForStructure, type Caller, type CallMessage, type Question } from "./Caller.ts"
import { Room } from "./answer.ts"
import * as Approval from "./approval.ts"
import { batch } from "./batch.ts"
import { inputReader } from "./inputs.ts"
import { remainingLimits, availableSpending } from "./left.ts"
import { categoriesOf, detailsOf } from "./lookups.ts"
import { notAllowed, permissionOf, prepare, unknownOperation } from "./prepare.ts"
import { errorOf } from "./refusal.ts"
import type { ToolError } from "./shapes.ts"
import { handleOf, startsTasks } from "./tasks.ts"
import { tools } from "./tools.ts"
import { refuse, use } from "./use.ts"

const textIn = (metadata: unknown, name: string): string | undefined => {
  const value = Predicate.hasProperty(metadata, name) ? metadata[name] : undefined
  return typeof value === "string" ? value : undefined
}

/** A message may name its own trace, because several of them can share an HTTP request. */
const contextOf = (metadata: unknown, { trace }: Caller): TraceContext | undefined =>
  parse(textIn(metadata, "traceparent"), textIn(metadata, "tracestate")) ?? trace

/** Runs a tool call in a span, with the calls that it makes as parts. The names are those of the conventions for MCP. */
export const inToolSpan = <A extends { readonly error?: ToolError }>(
  tool: string,
  caller: Caller,
  { metadata, revision }: CallMessage,
  handle: (caller: Caller) => Effect.Effect<A>
): Effect.Effect<A> => {
  const { tracing } = caller.gateway
  if (tracing === undefined) return handle(caller)
  return Effect.suspend(() => {
    const span = tracing.start(`tools/call ${tool}`, contextOf(metadata, caller))
    if (span === undefined) return handle({ ...caller, trace: unrecorded })
    span.set("mcp.method.name", "tools/call")
    span.set("mcp.protocol.version", revision)
    span.set("gen_ai.operation.name", "execute_tool")
    span.set("gen_ai.tool.name", tool)
    span.set("network.transport", "tcp")
    span.set("network.protocol.name", "http")
    span.set("tollgate.request.id", caller.authenticated.requestId)
    return Effect.onExit(handle({ ...caller, trace: span }), (exit) => {
      if (Exit.isFailure(exit)) span.fail("canceled")
      else if (exit.value.error !== undefined) {
        span.fail("tool_error")
        span.set("tollgate.error.code", exit.value.error.code)
      }
      span.end(tracing.now())
      tracing.push([span])
      return Effect.void
    })
  })
}

export interface Settings {
  /** How long `use` waits for a task if the client wants progress and does not say. */
  readonly waitSeconds: number
  /** Time between two polls of a task. */
  readonly pollMillis: number
  /** How long a call waits for a person's approval if the client wants no progress. */
  readonly approvalSeconds: number
}

/** What a tool returns. */
export type Content = object & {
  readonly error?: ToolError
  readonly asks?: Question
}

/** Calls a tool, with the `arguments` of the message as they arrived. */
export type Handler = (caller: Caller, payload: unknown, message: CallMessage) => Effect.Effect<Content>

type Defined = (typeof tools)[keyof typeof tools]

const handler = <I extends Schema.ConstraintDecoder<unknown>>(
  tool: Defined & { readonly input: I },
  handle: (caller: Caller, input: I["Type"], message: CallMessage) => Effect.Effect<Content>
): readonly [Defined, Handler] => {
  const read = inputReader(tool.input, tool.inputSchema)
  return [
    tool,
    (caller, payload, message) => {
      const input = read(payload)
      return inToolSpan(tool.name, caller, message, (caller) =>
        Result.isSuccess(input)
          ? handle(caller, input.success, message)
          : counted(caller, Effect.succeed({ error: input.failure }))
      )
    }
  ]
}

/** Adds what is left to spend. */
const withAvailable = (caller: Caller, call: ReturnType<typeof use>): ReturnType<typeof use> =>
  Effect.flatMap(call, (ended) =>
    Effect.map(availableSpending(caller, BigInt(ended.used.cost?.micros_usd ?? 0)), (left) => ({
      ...ended,
      used: { ...ended.used, left }
    }))
  )

/** Answers without a call. It counts as a request, as free operations do. */
const counted = (
  { authenticated, gateway }: Caller,
  answer: Effect.Effect<Content>
): Effect.Effect<Content & { readonly limits?: unknown }> =>
  Effect.matchEffect(gateway.count(authenticated), {
    onSuccess: (limits: RateLimits) => Effect.map(answer, (content) => ({ ...content, ...remainingLimits(limits) })),
    onFailure: (refused) => Effect.succeed<Content>({ error: errorOf(refused, false) })
  })

/** The five tools, and what each does. */
export const make = (
  settings: Settings,
  tasks?: Tasks["Service"],
  stopping?: Effect.Effect<unknown>,
  withApproval = Approval.make(settings.approvalSeconds, stopping)
): ReadonlyArray<readonly [Defined, Handler]> => [
  handler(tools.search, (caller, { query, ...options }) =>
    counted(
      caller,
      Effect.map(caller.catalogue, (catalogue) =>
        catalogue.search(query, { ...options, permission: permissionOf(caller) })
      )
    )
  ),
  handler(tools.getDetails, (caller, { operation_id, ...options }) =>
    counted(
      caller,
      Effect.flatMap(caller.catalogue, (catalogue): Effect.Effect<Content> => {
        const details = catalogue.details(operation_id)
        if (details === undefined) return Effect.map(unknownOperation(caller, operation_id), (error) => ({ error }))
        const refused = notAllowed(caller, operation_id)
        return Effect.succeed(refused === undefined ? { details: detailsOf(details, options) } : { error: refused })
      })
    )
  ),
  handler(tools.listCategories, (caller, page) =>
    counted(
      caller,
      Effect.map(caller.catalogue, ({ categories }) => {
        const permission = permissionOf(caller)
        return categoriesOf(categories(permission), page, permission?.howToChange)
      })
    )
  ),
  handler(
    tools.use,
    Effect.fnUntraced(function* (caller, { wait_seconds, ...input }, message) {
      const { metadata, progress, takesTasks } = message
      const prepared = yield* Effect.result(prepare(caller, input))
      if (Result.isFailure(prepared)) return yield* refuse(caller, input.operation_id, prepared.failure)
      const { operation } = prepared.success.call
      // Whoever asks for the result of a task gets all of it.
      const mayBeTask =
        takesTasks && wait_seconds !== 0 && prepared.success.parts === undefined && startsTasks(operation)
      const seconds = mayBeTask ? 0 : (wait_seconds ?? (progress.isWanted ? settings.waitSeconds : 0))
      const room = new Room(asksForStructure(metadata))
      const waiting = { seconds, pollMillis: settings.pollMillis }
      const call = withAvailable(caller, use(caller, prepared.success, progress, waiting, room))
      const content = Approval.canNeedApproval(caller)
        ? yield* withApproval(caller, input.operation_id, message, call)
        : (yield* call).used
      if (!mayBeTask || tasks === undefined || !("task" in content) || content.task?.done !== false) return content
      return (yield* handleOf(caller, tasks, content.task, settings.pollMillis)) ?? content
    })
  ),
  handler(tools.batchUse, batch)
]
