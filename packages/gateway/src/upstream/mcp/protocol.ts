import * as Option from "effect/Option"
import { isEventStream } from "../protocols/message.ts"
import { json } from "../protocols/json.ts"
import { getPath, tryParse } from "../../internal/jsonValue.ts"
import type { Protocol } from "../Protocol.ts"
import { progressMeter } from "./progressStream.ts"

/** Tools of an MCP server. `callTool` carries the call; what it answers is `CallToolResult` as JSON. */
export const mcp: Protocol = {
  ...json,
  id: "mcp",
  evidence: (exchange, answer) =>
    answer.status === 200 && getPath(tryParse(answer.bytes), "isError") === true
      ? Option.some({ kind: "failed" })
      : json.evidence(exchange, answer),
  isStreamed: isEventStream,
  streamMeter: progressMeter
}
