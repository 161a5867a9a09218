import { read } from "@tollgate/contract/price/exact"
import * as Predicate from "effect/Predicate"
import type { Decoded } from "../../exchange/Exchange.ts"
import { parseQuery } from "../../internal/query.ts"
import type { Alias, Protocol } from "../Protocol.ts"
import { hasType, isEventStream, messageOf } from "./message.ts"
import { evidenceOf, outputsIn } from "./evidence.ts"
import { streamMeter, textBytes } from "./geminiStream.ts"
import { impossibleIn, usageOf } from "../usage/gemini.ts"

/** The path names the model. `undefined`: the caller's own path is right. */
const pathOf = ({ model, operation }: Decoded, alias: Alias): string | undefined => {
  const name = alias.model ?? model
  if (alias.path === undefined && alias.model === undefined) return undefined
  const path = alias.path ?? operation.path
  return name === undefined ? path : path.replaceAll("{model}", () => encodeURIComponent(name))
}

const asksForEvents = ({ query }: Decoded): boolean => parseQuery(query)?.get("alt") === "sse"

/** Google's `generateContent`. */
export const gemini: Protocol = {
  id: "gemini",
  request: (exchange, alias) =>
    messageOf(exchange, { path: pathOf(exchange, alias), wantsStream: asksForEvents(exchange) }),
  evidence: evidenceOf({
    outputs: (answer) =>
      outputsIn(read(answer, ["candidates"]), Predicate.isObject) ??
      // A blocked prompt has no candidates.
      (Predicate.isObject(read(answer, ["promptFeedback"])) ? [] : undefined),
    usage: usageOf,
    impossible: (answer) => impossibleIn(read(answer, ["usageMetadata"])),
    textBytes
  }),
  // Without `alt=sse` a stream is one JSON array, sent as it is generated.
  isStreamed: (exchange, head) =>
    isEventStream(exchange, head) ||
    (exchange.operation.path.endsWith(":streamGenerateContent") && hasType(head, "application/json")),
  streamMeter: (_, eventBytes) => streamMeter(eventBytes)
}
