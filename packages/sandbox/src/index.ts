export { Books } from "./Books.ts"
export { client } from "./client.ts"
export * as Sandbox from "./Sandbox.ts"
export * as Scenario from "./Scenario.ts"
