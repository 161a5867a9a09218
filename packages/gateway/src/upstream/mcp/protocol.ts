import * as Option from "effect/Option"
import { isEventStream } from "../protocols/message.ts"
import { json } from "../protocols/json.ts"
import * as Utf8 from "@tollgate/contract/Utf8"
import type { Answer } from "../../exchange/Reply.ts"
import { getPath, tryParse } from "../../internal/jsonValue.ts"
import { isLarge } from "../../internal/Turns.ts"
import { fieldScanner } from "../protocols/fieldScanner.ts"
import type { Protocol } from "../Protocol.ts"
import { progressMeter } from "./progressStream.ts"

const scan = fieldScanner<"isError">({ members: { isError: { tag: "isError" } } })

const isTrue = (bytes: Uint8Array, start: number, end: number): boolean =>
  Utf8.decode(bytes.subarray(start, end)) === "true"

/** Whether a tool failed. A large result is not parsed for it, which would hold others up. */
const isFailed = ({ bytes, status }: Pick<Answer, "bytes" | "status">): boolean => {
  if (status !== 200) return false
  if (!isLarge(bytes)) return getPath(tryParse(bytes), "isError") === true
  let failed = false
  return scan(bytes, 0, bytes.length, (_, start, end) => (failed = isTrue(bytes, start, end))) && failed
}

/** Tools of an MCP server. `callTool` carries the call; what it answers is `CallToolResult` as JSON. */
export const mcp: Protocol = {
  ...json,
  id: "mcp",
  evidence: (exchange, answer) =>
    isFailed(answer) ? Option.some({ kind: "failed" }) : json.evidence(exchange, answer),
  isStreamed: isEventStream,
  streamMeter: progressMeter
}
