// For programs that run a gateway: where its metrics, traces and log lines go.
export { callEntry, isLogged, type LoggedCalls } from "./logs/callEntry.ts"
export { entryOf } from "./logs/LogEntry.ts"
export { type LogFormat, lineOf } from "./logs/logLine.ts"
export { countersOf, merge } from "./metrics/merge.ts"
export { render } from "./metrics/render.ts"
export { Sampler, type Sampling } from "./trace/Sampler.ts"
export * as SpanExporter from "./trace/SpanExporter.ts"
export { CurrentTracing, Tracing } from "./trace/Tracing.ts"
