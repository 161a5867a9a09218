import { read } from "@tollgate/contract/price/exact"
import type { Protocol } from "../Protocol.ts"
import { set } from "../../internal/jsonEdit.ts"
import { isEventStream, asksForStream, bodyWithModel, messageOf, pickHeaders } from "./message.ts"
import { evidenceOf, outputsIn } from "./evidence.ts"
import { streamMeter, textBytes } from "./responsesStream.ts"
import { impossibleIn, usageOf } from "../usage/responses.ts"

const isItem = (item: unknown): boolean => typeof read(item, ["type"]) === "string"

/** OpenAI's Responses. An upstream of the protocol `openai` serves them beside chat completions. */
export const responses: Omit<Protocol, "id"> = {
  request: (exchange, alias) => {
    const body = bodyWithModel(exchange, alias)
    return messageOf(exchange, {
      path: alias.path,
      wantsStream: asksForStream(exchange),
      headers: pickHeaders(exchange, ["openai-beta"]),
      // OpenAI would keep the response for thirty days, in the operator's account, where no caller can read or delete it.
      body: read(exchange.input.body, ["store"]) === false ? body : set(body, ["store"], "false")
    })
  },
  evidence: evidenceOf({
    outputs: (answer) => outputsIn(read(answer, ["output"]), isItem),
    usage: (answer, { input }) => usageOf(answer, input.body),
    impossible: (answer) => impossibleIn(read(answer, ["usage"])),
    textBytes
  }),
  isStreamed: isEventStream,
  streamMeter: ({ input }, eventBytes) => streamMeter(input.body, eventBytes)
}
