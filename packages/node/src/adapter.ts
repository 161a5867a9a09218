// Building blocks for `@tollgate/server`. Not for applications.
export { make as makeCarrier, scopedAgent } from "./Carrier.ts"
export { connectOptions, makeAgent, type Options as AgentOptions } from "./carrier/agent.ts"
export { BodyBuffer, toArrayBuffer } from "./carrier/bodyBuffer.ts"
export { atEndOfTick } from "./carrier/bodyBuffer.ts"
