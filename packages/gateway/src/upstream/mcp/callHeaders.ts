import * as TraceContext from "../../observe/trace/TraceContext.ts"
import type { Provider } from "../Provider.ts"
import type { Translated } from "../translate/translate.ts"

/** Headers of the transport, which a caller's must not replace. */
const isTransport = (name: string): boolean => /^(?:accept|content-|mcp-|host$|last-event-id$)/.test(name)

/** What is sent with one call: the caller's headers that are sent on, those of its linked user, and the trace. */
export const callHeaders = (
  { exchange, headers: own = {} }: Translated,
  { credential, forwardedHeaders, headers: fixed, trace }: Provider,
  span: TraceContext.TraceContext | undefined
): Readonly<Record<string, string>> => {
  const { linkedUserHeaders, request, requestId } = exchange
  const headers: Record<string, string> = { "x-request-id": requestId }
  for (const name of forwardedHeaders) {
    const value = request.headers[name]
    if (value !== undefined && !isTransport(name)) headers[name] = value
  }
  const isProviders = (name: string): boolean =>
    credential?.header.toLowerCase() === name || Object.keys(fixed).some((other) => other.toLowerCase() === name)
  for (const [name, value] of Object.entries(own)) {
    if (!isTransport(name) && !isProviders(name)) headers[name] = value
  }
  if (trace === true) {
    const context = span ?? TraceContext.parse(request.headers["traceparent"], request.headers["tracestate"])
    if (context !== undefined) TraceContext.encodeInto(headers, context)
  }
  return linkedUserHeaders === undefined ? headers : { ...headers, ...linkedUserHeaders }
}
