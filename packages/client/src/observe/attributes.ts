import type { Begun, Ended, Failed } from "./Observer.ts"

type Attributes = Readonly<Record<string, unknown>>

export const nameOf = ({ genAi, mode, model, operation }: Begun): string => {
  if (genAi === undefined) return mode === "quote" ? `quote ${operation}` : operation
  return model === undefined ? genAi.operation : `${genAi.operation} ${model}`
}

export const attributesAtBegin = ({ genAi, method, mode, model, operation, server }: Begun): Attributes => ({
  "gen_ai.operation.name": genAi?.operation,
  "gen_ai.provider.name": genAi?.provider,
  "gen_ai.request.model": model,
  "gen_ai.request.stream": genAi !== undefined && mode === "stream" ? true : undefined,
  "http.request.method": method,
  "server.address": server?.address,
  "server.port": server?.port,
  "tollgate.operation": operation,
  "tollgate.mode": mode
})

export const failedAttributes = ({ code, outcome, status, type }: Failed): Attributes => ({
  "error.type": type,
  "tollgate.outcome": outcome,
  ...(status === undefined ? {} : { "http.response.status_code": status }),
  ...(code === undefined ? {} : { "tollgate.error.code": code })
})

/** OpenTelemetry counts cache reads and writes as input. */
export const inputTokens = ({ cacheRead = 0, cacheWrite = 0, input }: Ended["usage"]): number | undefined =>
  input === undefined ? undefined : input + cacheRead + cacheWrite

export const attributesAtEnd = (ended: Ended): Attributes => ({
  "gen_ai.response.model": ended.responseModel,
  "gen_ai.usage.input_tokens": inputTokens(ended.usage),
  "gen_ai.usage.output_tokens": ended.usage.output,
  "gen_ai.usage.cache_read.input_tokens": ended.usage.cacheRead,
  "gen_ai.usage.cache_write.input_tokens": ended.usage.cacheWrite,
  "gen_ai.response.time_to_first_chunk":
    ended.genAi === undefined || ended.firstEventMillis === undefined ? undefined : ended.firstEventMillis / 1000,
  "http.response.status_code": ended.status,
  "tollgate.request.id": ended.requestId,
  "tollgate.result": ended.result,
  "tollgate.attempts": ended.attempts,
  "tollgate.replayed": ended.replayed,
  "tollgate.recovered": ended.recovered,
  "tollgate.stream.events": ended.events,
  "tollgate.cost.state": ended.charge.state,
  "tollgate.charge": ended.charge.micros,
  "tollgate.quote.estimate_micros_usd": ended.quote?.estimate,
  "tollgate.quote.max_micros_usd": ended.quote?.max,
  ...(ended.failed === undefined ? {} : failedAttributes(ended.failed))
})
