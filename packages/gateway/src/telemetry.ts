// For programs that run a gateway: where its metrics, traces and log lines go.
export { callEntry, isLogged, type LoggedCalls } from "./observe/LogEntry.ts"
export { entryOf } from "./observe/LogEntry.ts"
export { type LogFormat, lineOf } from "./observe/LogEntry.ts"
export { countersOf, merge } from "./endpoints/metrics/merge.ts"
export { render } from "./endpoints/metrics/MetricsEndpoints.ts"
export { Sampler, type Sampling } from "./observe/trace/Tracing.ts"
export * as SpanExporter from "./observe/trace/SpanExporter.ts"
export { CurrentTracing, Tracing } from "./observe/trace/Tracing.ts"
