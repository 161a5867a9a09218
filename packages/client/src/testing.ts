export type { Call } from "./testing/Call.ts"
export type { Step } from "./testing/Step.ts"
export { noJitter } from "./testing/noJitter.ts"
export { type ScriptedGateway, scriptedGateway } from "./testing/ScriptedGateway.ts"
export { testClient } from "./testing/testClient.ts"
export {
  events,
  fail,
  hang,
  html,
  later,
  notSent,
  raw,
  reply,
  reset,
  says,
  sequence,
  timeout,
  video
} from "./testing/steps.ts"
export type { VirtualClock } from "./testing/VirtualClock.ts"
