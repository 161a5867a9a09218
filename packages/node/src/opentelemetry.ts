export { openTelemetry } from "@tollgate/client/opentelemetry"
