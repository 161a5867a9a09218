import * as Option from "effect/Option"
import { isEventStream } from "../protocols/message.ts"
import { json } from "../protocols/json.ts"
import type { Answer } from "../../exchange/Reply.ts"
import { getPath } from "../../internal/jsonValue.ts"
import { parsedAnswer } from "../protocols/parsedAnswer.ts"
import type { Priced } from "../../exchange/Exchange.ts"
import type { Protocol } from "../Protocol.ts"
import { progressMeter } from "./progressStream.ts"

const isFailed = (exchange: Priced, { bytes, status }: Answer): boolean =>
  status === 200 && getPath(parsedAnswer(exchange, bytes), "isError") === true

/** Tools of an MCP server. `callTool` carries the call; what it answers is `CallToolResult` as JSON. */
export const mcp: Protocol = {
  ...json,
  id: "mcp",
  evidence: (exchange, answer) =>
    isFailed(exchange, answer) ? Option.some({ kind: "failed" }) : json.evidence(exchange, answer),
  isStreamed: isEventStream,
  streamMeter: progressMeter
}
