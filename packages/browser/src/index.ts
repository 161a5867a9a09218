// The client without Effect. When published it is one file that brings what it needs.

export * from "@tollgate/client/promises"
export { type BrowserOptions, createClient } from "./Client.ts"
