import { embeddings as embeddingsOperation } from "@tollgate/contract/operations/embeddings"
import { responses as responsesOperation } from "@tollgate/contract/operations/responses"
import type { Decoded } from "../../exchange/Exchange.ts"
import type { Protocol } from "../Protocol.ts"
import { chat } from "./chat.ts"
import { embeddings } from "./embeddings.ts"
import { responses } from "./responses.ts"

const formats = new Map([
  [embeddingsOperation.id, embeddings],
  [responsesOperation.id, responses]
])

const formatOf = ({ operation }: Decoded) => formats.get(operation.id) ?? chat

/** OpenAI's interface. Its operations have formats of their own; one that has none is read like a chat completion. */
export const openai: Protocol = {
  id: "openai",
  refuse: (exchange, provider) => formatOf(exchange).refuse?.(exchange, provider),
  request: (exchange, alias) => formatOf(exchange).request(exchange, alias),
  evidence: (exchange, answer) => formatOf(exchange).evidence(exchange, answer),
  isStreamed: (exchange, head) => formatOf(exchange).isStreamed(exchange, head),
  streamMeter: (exchange, eventBytes) => formatOf(exchange).streamMeter(exchange, eventBytes)
}
