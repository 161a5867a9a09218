import { read } from "@tollgate/contract/price/exact"
import { embeddings } from "@tollgate/contract/operations/embeddings"
import { imageEdit } from "@tollgate/contract/operations/imageEdit"
import { moderations } from "@tollgate/contract/operations/moderations"
import { responses as responsesOperation } from "@tollgate/contract/operations/responses"
import { speech } from "@tollgate/contract/operations/speech"
import { transcription } from "@tollgate/contract/operations/transcription"
import type { Decoded } from "../../exchange/Exchange.ts"
import type { Protocol } from "../Protocol.ts"
import { responses } from "./responses.ts"
import { evidenceOf, outputsIn } from "./evidence.ts"
import { json } from "./json.ts"
import { bodyWithModel, messageOf, asksForStream, pickHeaders } from "./message.ts"
import { ChatTally } from "./chat.ts"
import { talliedBy } from "./talliedBy.ts"
import { usageOf as audioUsageOf } from "../usage/audio.ts"
import { impossibleIn, reportedIn } from "../usage/fields.ts"
import { chatUsage } from "@tollgate/protocols/chat/usage"
import { contractOf } from "@tollgate/contract/price/contracts"
import { isByModel, type Price } from "@tollgate/contract/price/Price"
import * as Predicate from "effect/Predicate"
import { set } from "../../internal/jsonEdit.ts"

/** The usage, or the cost beside it. */
const reportsUsage = (price: Price): boolean => isByModel(price) || contractOf(price).reportedAt !== undefined

/** The gateway needs a stream's usage and the caller did not ask for it: the gateway asks, and removes the report. */
const addsUsage = ({ input, operation }: Decoded): boolean =>
  reportsUsage(operation.price) && read(input.body, ["stream_options", "include_usage"]) !== true

const isChoice = (choice: unknown): boolean =>
  Predicate.isObject(read(choice, ["message"])) || typeof read(choice, ["text"]) === "string"

/** OpenAI's chat completions, and other operations with answers of that shape. */
const chat: Omit<Protocol, "id"> = {
  request: (exchange, alias) => {
    const body = bodyWithModel(exchange, alias)
    const wantsStream = asksForStream(exchange)
    // It reports the usage unasked.
    const lacksOptions = alias.lacks?.includes("stream_options") === true
    return messageOf(exchange, {
      path: alias.path,
      wantsStream,
      headers: pickHeaders(exchange, ["openai-beta"]),
      body:
        wantsStream && addsUsage(exchange) && !lacksOptions
          ? set(body, ["stream_options", "include_usage"], "true")
          : body
    })
  },
  ...talliedBy(
    (exchange) => new ChatTally(exchange, asksForStream(exchange) && addsUsage(exchange)),
    (answer) => outputsIn(read(answer, ["choices"]), isChoice)
  )
}

/** Numbers, or base64. */
const isVector = (item: unknown): boolean => {
  const vector = read(item, ["embedding"])
  return Array.isArray(vector) || typeof vector === "string"
}

/** Files, which are priced by the request. */
const whole: Omit<Protocol, "id"> = {
  ...json,
  request: (exchange, alias) => messageOf(exchange, { path: alias.path, body: bodyWithModel(exchange, alias) })
}

/** What is never streamed and has no output to bill: a list of these. */
const listOf = (name: string, isItem: (item: unknown) => boolean): Omit<Protocol, "id"> => ({
  ...whole,
  evidence: evidenceOf({
    outputs: (answer) => outputsIn(read(answer, [name]), isItem),
    facts: ({ usage }) => ({
      usage: reportedIn(chatUsage, usage),
      served: { gaps: impossibleIn(chatUsage, usage) },
      textBytes: 0
    })
  })
})

/** A transcription that does not say what it cost is none. */
const transcribed: Omit<Protocol, "id"> = {
  ...whole,
  evidence: evidenceOf({
    outputs: (answer) =>
      Predicate.isString(read(answer, ["text"])) && audioUsageOf(answer) !== undefined ? [answer] : undefined,
    facts: (answer) => ({ usage: audioUsageOf(answer), textBytes: 0 })
  })
}

/** OpenAI's interface. An operation without a format of its own is read like a chat completion. */
export const openai: Protocol = {
  id: "openai",
  ...chat,
  formats: new Map([
    [embeddings.id, listOf("data", isVector)],
    [moderations.id, listOf("results", Predicate.isObject)],
    [responsesOperation.id, responses],
    [speech.id, whole],
    [imageEdit.id, whole],
    [transcription.id, transcribed]
  ])
}
