export * from "@tollgate/client"
export { type BrowserOptions, createClient, layer } from "./createClient.ts"
