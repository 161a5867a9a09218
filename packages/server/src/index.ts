export * as NodeHttpServer from "./HttpServer.ts"
export * as NodeRuntime from "./Runtime.ts"
export * as NodeSqliteClient from "./sqlite/SqliteClient.ts"
export * as UpstreamCarrier from "./UpstreamCarrier.ts"
