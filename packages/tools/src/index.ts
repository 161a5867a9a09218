export * as ToolServer from "./ToolServer.ts"
