import type { Begun, Ended, Failed } from "./Observer.ts"

type Attributes = Readonly<Record<string, unknown>>

/** OpenTelemetry's names for the provider and the operation, by protocol. */
const protocols: Readonly<Record<string, readonly [provider: string, operation: string]>> = {
  openai: ["openai", "chat"],
  anthropic: ["anthropic", "chat"],
  gemini: ["gcp.gemini", "generate_content"]
}

/** A quote calls no model. */
const protocolOf = ({ mode, protocol }: Begun) =>
  mode === "quote" || protocol === undefined ? undefined : protocols[protocol]

export const nameOf = (begun: Begun): string => {
  const { mode, model, operation } = begun
  const [, name] = protocolOf(begun) ?? []
  if (name === undefined) return mode === "quote" ? `quote ${operation}` : operation
  return model === undefined ? name : `${name} ${model}`
}

export const attributesAtBegin = (begun: Begun): Attributes => {
  const [provider, name] = protocolOf(begun) ?? []
  return {
    "gen_ai.operation.name": name,
    "gen_ai.provider.name": provider,
    "gen_ai.request.model": begun.model,
    "http.request.method": begun.method,
    "server.address": begun.server?.address,
    "server.port": begun.server?.port,
    "tollgate.operation": begun.operation,
    "tollgate.mode": begun.mode
  }
}

export const failedAttributes = ({ code, outcome, status, type }: Failed): Attributes => ({
  "error.type": type,
  "tollgate.outcome": outcome,
  ...(status === undefined ? {} : { "http.response.status_code": status }),
  ...(code === undefined ? {} : { "tollgate.error.code": code })
})

/** OpenTelemetry counts cache reads and writes as input. */
export const inputTokens = ({ cacheRead = 0, cacheWrite = 0, input }: Ended["usage"]): number | undefined =>
  input === undefined ? undefined : input + cacheRead + cacheWrite

/** As a string, since an exporter may round numbers. */
const digits = (micros: number | undefined): string | undefined => (micros === undefined ? undefined : String(micros))

export const attributesAtEnd = (ended: Ended): Attributes => ({
  "gen_ai.response.model": ended.responseModel,
  "gen_ai.usage.input_tokens": inputTokens(ended.usage),
  "gen_ai.usage.output_tokens": ended.usage.output,
  "gen_ai.usage.cache_read.input_tokens": ended.usage.cacheRead,
  "gen_ai.usage.cache_write.input_tokens": ended.usage.cacheWrite,
  "http.response.status_code": ended.status,
  "tollgate.request_id": ended.requestId,
  "tollgate.result": ended.result,
  "tollgate.attempts": ended.attempts,
  "tollgate.replayed": ended.replayed,
  "tollgate.recovered": ended.recovered,
  "tollgate.stream.events": ended.events,
  "tollgate.cost.state": ended.charge.state,
  "tollgate.cost.micros_usd": digits(ended.charge.micros),
  "tollgate.quote.estimate_micros_usd": digits(ended.quote?.estimate),
  "tollgate.quote.max_micros_usd": digits(ended.quote?.max),
  ...(ended.failed === undefined ? {} : failedAttributes(ended.failed))
})
