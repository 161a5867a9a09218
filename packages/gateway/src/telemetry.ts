// For programs that run a gateway: where its metrics, traces and log lines go.
export { callEntry, isLogged, type LoggedCalls, entryOf, type LogFormat, lineOf } from "./observe/LogEntry.ts"
export { countersOf, merge } from "./endpoints/metrics/merge.ts"
export { render } from "./endpoints/metrics/MetricsEndpoints.ts"
export { Sampler, type Sampling, CurrentTracing, Tracing } from "./observe/trace/Tracing.ts"
export * as SpanExporter from "./observe/trace/SpanExporter.ts"
