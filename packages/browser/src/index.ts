export { type BrowserOptions, createClient, layer } from "./createClient.ts"
