import type { Protocol } from "../Protocol.ts"
import { evidenceOf, outputsIn } from "./evidence.ts"
import { json } from "./json.ts"
import { getPath } from "./jsonValue.ts"
import { bodyWithModel, messageOf } from "./message.ts"
import { parseUsage } from "./openaiUsage.ts"

/** Numbers, or base64. */
const isVector = (item: unknown): boolean => {
  const vector = getPath(item, "embedding")
  return Array.isArray(vector) || typeof vector === "string"
}

/** OpenAI's embeddings, which are never streamed and have no output to bill. */
export const embeddings: Omit<Protocol, "id"> = {
  request: (exchange, alias) => messageOf(exchange, { path: alias.path, body: bodyWithModel(exchange, alias) }),
  evidence: evidenceOf({
    outputs: (answer) => outputsIn(getPath(answer, "data"), isVector),
    usage: (answer) => parseUsage(getPath(answer, "usage")),
    textBytes: () => 0
  }),
  isStreamed: json.isStreamed,
  streamMeter: json.streamMeter
}
