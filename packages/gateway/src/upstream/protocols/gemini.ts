import type { Decoded } from "../../Exchange.ts"
import { parseQuery } from "../../internal/query.ts"
import type { Alias, Protocol } from "../Protocol.ts"
import { usageIn } from "./geminiUsage.ts"
import { watch } from "./geminiWatch.ts"
import { messageOf } from "./message.ts"
import { isEventStream, isOfType, proofOf } from "./proof.ts"
import { read } from "./read.ts"

/** The model stands in the path. */
const pathOf = ({ model, operation }: Decoded, alias: Alias): string | undefined => {
  const name = alias.model ?? model
  if (alias.path === undefined && alias.model === undefined) return undefined
  const path = alias.path ?? operation.path
  return name === undefined ? path : path.replaceAll("{model}", () => encodeURIComponent(name))
}

const asksForEvents = ({ query }: Decoded): boolean => parseQuery(query)?.get("alt") === "sse"

/** Generation of content. */
export const gemini: Protocol = {
  id: "gemini",
  request: (exchange, alias) =>
    messageOf(exchange, { path: pathOf(exchange, alias), streams: asksForEvents(exchange) }),
  evidence: proofOf((answer) => usageIn(read(answer, "usageMetadata"))),
  // Without `alt=sse` a stream is one JSON array, sent as it is made.
  isStreamed: (exchange, head) =>
    isEventStream(exchange, head) ||
    (exchange.operation.path.endsWith(":streamGenerateContent") && isOfType(head, "application/json")),
  watch
}
