import { emptyBytes } from "../../internal/emptyBytes.ts"
import type { Protocol, StreamMeter } from "../Protocol.ts"
import { evidenceOf } from "./evidence.ts"
import { messageOf } from "./message.ts"

const noMeter: StreamMeter = {
  push: (chunk) => chunk,
  finish: () => emptyBytes,
  isTooLarge: () => false,
  report: () => ({ state: "open", started: false, finished: false, usage: undefined, usageFinal: false, textBytes: 0 })
}

/** The operation's own path, query and body, as the caller sent them; the answer is JSON. */
export const json: Protocol = {
  id: "json",
  request: (exchange, alias) => messageOf(exchange, { path: alias.path }),
  evidence: evidenceOf(),
  isStreamed: () => false,
  streamMeter: () => noMeter
}
