export type { Call } from "./Call.ts"

export { type ScriptedGateway, scriptedGateway } from "./ScriptedGateway.ts"
export { noJitter, testClient } from "./testClient.ts"
export { events, fail, hang, later, notSent, raw, reply, reset, says, sequence, type Step } from "./steps.ts"
export type { VirtualClock } from "./VirtualClock.ts"
