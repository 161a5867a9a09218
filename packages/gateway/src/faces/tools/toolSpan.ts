import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Predicate from "effect/Predicate"
import { type TraceContext, parse } from "../../observe/trace/TraceContext.ts"
import { unrecorded } from "../../observe/trace/Tracing.ts"
import type { Caller } from "./Caller.ts"
import type { CallMessage } from "./CallMessage.ts"
import type { ToolError } from "./shapes.ts"

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
