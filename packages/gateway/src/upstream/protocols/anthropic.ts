import { read } from "@tollgate/contract/price/exact"
import type { Protocol } from "../Protocol.ts"
import { streamMeter } from "./anthropicStream.ts"
import { impossibleIn, usageOf } from "../usage/anthropic.ts"
import { isEventStream, asksForStream, bodyWithModel, messageOf, pickHeaders } from "./message.ts"
import { evidenceOf, outputsIn } from "./evidence.ts"
import { type Field, fieldScanner, stringBytes } from "./fieldScanner.ts"

type Tag = "text" | "input"

const text: Field<Tag> = { tag: "text" }
const scan = fieldScanner<Tag>({
  members: { content: { items: { members: { text, thinking: text, input: { tag: "input" } } } } }
})

/** The bytes of generated text in a whole answer. */
const textBytes = (bytes: Uint8Array): number => {
  let length = 0
  scan(bytes, 0, bytes.length, (tag, start, end) => {
    length += tag === "text" ? stringBytes(bytes, start, end) : end - start
  })
  return length
}

const isBlock = (block: unknown): boolean => typeof read(block, ["type"]) === "string"

/** Anthropic's Messages. */
export const anthropic: Protocol = {
  id: "anthropic",
  request: (exchange, alias) =>
    messageOf(exchange, {
      path: alias.path,
      wantsStream: asksForStream(exchange),
      headers: pickHeaders(exchange, ["anthropic-version", "anthropic-beta"]),
      body: bodyWithModel(exchange, alias)
    }),
  evidence: evidenceOf({
    outputs: (answer) => outputsIn(read(answer, ["content"]), isBlock),
    usage: usageOf,
    impossible: (answer) => impossibleIn(read(answer, ["usage"])),
    textBytes
  }),
  isStreamed: isEventStream,
  streamMeter: (_, eventBytes) => streamMeter(eventBytes)
}
