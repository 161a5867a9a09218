import { isByModel } from "@tollgate/contract/price/Price"
import * as Predicate from "effect/Predicate"
import type { Decoded } from "../../exchange/Exchange.ts"
import { set } from "../../internal/jsonEdit.ts"
import type { Protocol } from "../Protocol.ts"
import { isEventStream } from "./contentType.ts"
import { evidenceOf, outputsIn } from "./evidence.ts"
import { getPath } from "./jsonValue.ts"
import { asksForStream, bodyWithModel, messageOf, pickHeaders } from "./message.ts"
import { streamMeter } from "./openaiStream.ts"
import { textBytes } from "./openaiText.ts"
import { parseUsage } from "./openaiUsage.ts"

/** The gateway needs a stream's usage and the caller did not ask for it: the gateway asks, and removes the report. */
const addsUsage = (exchange: Decoded): boolean =>
  isByModel(exchange.operation.price) &&
  asksForStream(exchange) &&
  getPath(exchange.input.body, "stream_options", "include_usage") !== true

const isChoice = (choice: unknown): boolean =>
  Predicate.isObject(getPath(choice, "message")) || typeof getPath(choice, "text") === "string"

/** OpenAI's chat completions, and other operations with answers of that shape. */
export const chat: Omit<Protocol, "id"> = {
  request: (exchange, alias) => {
    const body = bodyWithModel(exchange, alias)
    return messageOf(exchange, {
      path: alias.path,
      wantsStream: asksForStream(exchange),
      headers: pickHeaders(exchange, ["openai-beta"]),
      body: addsUsage(exchange) ? set(body, ["stream_options", "include_usage"], "true") : body
    })
  },
  evidence: evidenceOf({
    outputs: (answer) => outputsIn(getPath(answer, "choices"), isChoice),
    usage: (answer) => parseUsage(getPath(answer, "usage")),
    textBytes
  }),
  isStreamed: isEventStream,
  streamMeter: (exchange, eventBytes) => streamMeter(exchange, addsUsage(exchange), eventBytes)
}
