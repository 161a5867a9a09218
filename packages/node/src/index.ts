export * as NodeHttpClient from "./HttpClient.ts"
export * as NodeHttpServer from "./HttpServer.ts"
export * as NodeRuntime from "./Runtime.ts"
export * as NodeSqliteClient from "./SqliteClient.ts"
