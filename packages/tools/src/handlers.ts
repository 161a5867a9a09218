import type { RateLimits } from "@tollgate/contract/RateLimits"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import type { Tasks } from "@tollgate/gateway/call/task/Tasks"
import { parse, type TraceContext } from "@tollgate/gateway/observe/trace/TraceContext"
import { unrecorded } from "@tollgate/gateway/observe/trace/Tracing"
import { asksForStructure, type Caller, type CallMessage, type Question, silent } from "./Caller.ts"
import { Room } from "./answer.ts"
import * as Approval from "./approval.ts"
import { inputReader, amountOf, type BatchUse } from "./inputs.ts"
import { remainingLimits, availableSpending } from "./left.ts"
import { categoriesOf, detailsOf } from "./lookups.ts"
import { notAllowed, permissionOf, prepare, unknownOperation, type Prepared } from "./prepare.ts"
import { errorOf, invalidAmount, overTotal, totalRequired } from "./refusal.ts"
import type { ToolError, Batch, Used } from "./shapes.ts"
import { handleOf, startsTasks } from "./tasks.ts"
import { tools } from "./tools.ts"
import { refuse, use } from "./use.ts"
import { formatUsd, zero, nano, type NanoUsd } from "@tollgate/contract/Money"
import * as Deferred from "effect/Deferred"

/** What several calls may cost together. Each call's cap is taken before it starts. */
export class Total {
  #left: NanoUsd
  /** What is known to have been charged. */
  charged: NanoUsd = zero
  /** What calls with an open or unknown end may still be charged. */
  held: NanoUsd = zero

  constructor(most: NanoUsd) {
    this.#left = most
  }

  /** Takes a call's cap. Returns false if not enough is left. */
  take(cap: NanoUsd): boolean {
    if (cap > this.#left) return false
    this.#left = nano(this.#left - cap)
    return true
  }

  /** Gives back what the call was not charged. One whose charge is not known keeps its cap. */
  end(cap: NanoUsd, charged: NanoUsd | undefined): void {
    if (charged === undefined) {
      this.held = nano(this.held + cap)
      return
    }
    this.charged = nano(this.charged + charged)
    this.#left = nano(this.#left + cap - charged)
  }
}

const concurrency = 5

/** The result of a batch whose calls are not known. */
const noCalls: Batch = { results: [], succeeded: 0, failed: 0, charged_usd: "0", held_usd: "0" }

const nothingRan = (calls: BatchUse["calls"], error: ToolError): Batch => ({
  ...noCalls,
  results: calls.map(({ operation_id }) => ({ operation_id, error })),
  failed: calls.length,
  error
})

/**
 * Makes several calls, a few at a time and in their order. A call starts when its cap can be taken from the total; if not
 * enough is left, it waits for the calls that run, and is refused when none runs.
 */
const batch = Effect.fnUntraced(function* (
  caller: Caller,
  { calls, max_total_usd }: BatchUse,
  { metadata, progress }: CallMessage
): Effect.fn.Return<Batch> {
  const prepared = yield* Effect.forEach(calls, (call) => Effect.result(prepare(caller, call)))
  const most = max_total_usd === undefined ? zero : amountOf(max_total_usd)
  if (most === undefined) return nothingRan(calls, invalidAmount("max_total_usd"))
  const canCost = prepared.some((one) => Result.isSuccess(one) && (one.success.terms.cap ?? zero) > 0n)
  if (max_total_usd === undefined && canCost) return nothingRan(calls, totalRequired)

  const total = new Total(most)
  const room = new Room(asksForStructure(metadata))
  const results = new Map<number, Used>()
  let running = 0
  let oneEnded = Deferred.makeUnsafe<void>()

  const done = (index: number, used: Used) => {
    results.set(index, used)
    return progress.report(results.size, `${results.size} of ${calls.length} calls ended`, calls.length)
  }
  const start = Effect.fnUntraced(function* (index: number, call: Prepared) {
    const cap = call.terms.cap ?? zero
    const { charged, used } = yield* use(caller, call, silent, undefined, room)
    total.end(cap, charged)
    const report = done(index, used)
    running--
    const waiting = oneEnded
    oneEnded = Deferred.makeUnsafe()
    Deferred.doneUnsafe(waiting, Effect.void)
    yield* report
  })
  const begin = Effect.fnUntraced(function* (index: number, call: Prepared) {
    for (;;) {
      if (running < concurrency && total.take(call.terms.cap ?? zero)) break
      if (running === 0) return yield* done(index, { operation_id: call.call.operation.id, error: overTotal })
      yield* Deferred.await(oneEnded)
    }
    running++
    yield* Effect.forkChild(caller.calls.track(start(index, call)), { startImmediately: true })
  })

  for (const [index, call] of prepared.entries()) {
    if (Result.isSuccess(call)) yield* begin(index, call.success)
    else yield* done(index, yield* refuse(caller, calls[index]?.operation_id ?? "", call.failure))
  }
  while (running > 0) yield* Deferred.await(oneEnded)

  const ordered = calls.map(({ operation_id }, index): Used => results.get(index) ?? { operation_id })
  const left = yield* availableSpending(caller, total.charged / 1_000n)
  const failed = ordered.filter(({ error }) => error !== undefined).length
  return {
    results: ordered,
    succeeded: calls.length - failed,
    failed,
    charged_usd: formatUsd(total.charged),
    held_usd: formatUsd(total.held),
    left
  }
})

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
