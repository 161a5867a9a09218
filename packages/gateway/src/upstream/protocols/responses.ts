import type { Protocol } from "../Protocol.ts"
import { set } from "../../internal/jsonEdit.ts"
import { isEventStream } from "./contentType.ts"
import { evidenceOf, outputsIn } from "./evidence.ts"
import { getPath } from "./jsonValue.ts"
import { asksForStream, bodyWithModel, messageOf, pickHeaders } from "./message.ts"
import { streamMeter } from "./responsesStream.ts"
import { textBytes } from "./responsesText.ts"
import { parseUsage } from "./responsesUsage.ts"
import { serverTool } from "./serverTools.ts"

const isItem = (item: unknown): boolean => typeof getPath(item, "type") === "string"

/** OpenAI's Responses. An upstream of the protocol `openai` serves them beside chat completions. */
export const responses: Omit<Protocol, "id"> = {
  refuse: ({ input }, { serverTools = false }) => (serverTools ? undefined : serverTool(input.body)),
  request: (exchange, alias) => {
    const body = bodyWithModel(exchange, alias)
    return messageOf(exchange, {
      path: alias.path,
      wantsStream: asksForStream(exchange),
      headers: pickHeaders(exchange, ["openai-beta"]),
      // OpenAI would keep the response for thirty days, in the operator's account, where no caller can read or delete it.
      body: getPath(exchange.input.body, "store") === false ? body : set(body, ["store"], "false")
    })
  },
  evidence: evidenceOf({
    outputs: (answer) => outputsIn(getPath(answer, "output"), isItem),
    usage: (answer) => parseUsage(getPath(answer, "usage")),
    textBytes
  }),
  isStreamed: isEventStream,
  streamMeter: (_, eventBytes) => streamMeter(eventBytes)
}
