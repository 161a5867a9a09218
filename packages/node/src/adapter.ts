// What `@tollgate/server` builds its own adapters from. Not for applications.
export { make as makeCarrier, scopedAgent } from "./Carrier.ts"
export { connectOptions, makeAgent, type Options as AgentOptions } from "./carrier/agent.ts"
export { Intake, toArrayBuffer } from "./carrier/intake.ts"
export { atEndOfTurn } from "./carrier/turn.ts"
