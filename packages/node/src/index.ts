// The client without Effect. When published it is one file that brings what it needs.

export * from "@tollgate/client/promises"
export { createClient, type NodeOptions } from "./Client.ts"
