import { batchEmbedContents } from "@tollgate/contract/operations/batchEmbedContents"
import { countTokensGemini } from "@tollgate/contract/operations/countTokensGemini"
import { embedContent } from "@tollgate/contract/operations/embedContent"
import { read } from "@tollgate/contract/price/exact"
import * as Utf8 from "@tollgate/contract/Utf8"
import * as Predicate from "effect/Predicate"
import type { Decoded } from "../../exchange/Exchange.ts"
import { countMembers, type Edit, items, members, set, splice } from "../../internal/jsonEdit.ts"
import { leftBracket } from "../../internal/jsonScan.ts"
import { parseQuery } from "../../internal/query.ts"
import type { Alias, Protocol } from "../Protocol.ts"
import { hasType, isEventStream, messageOf } from "./message.ts"
import { evidenceOf, outputsIn } from "./evidence.ts"
import { json } from "./json.ts"
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

/** Where a body names the model beside the path, also in the names that Google's servers read too. */
const requests = ["requests", "generateContentRequest", "generate_content_request"]

/** The same model wherever the body names one: a dearer one there must not run at the price of the path's. */
const withModel = (bytes: Uint8Array, model: string): Uint8Array => {
  const json = JSON.stringify(`models/${model}`)
  const renamed = ({ end, start }: { readonly start: number; readonly end: number }): ReadonlyArray<Edit> => {
    const request = bytes.subarray(start, end)
    return countMembers(request, "model") === 0 ? [] : [{ from: start, to: end, insert: set(request, ["model"], json) }]
  }
  const edits = (members(bytes) ?? []).flatMap((member): ReadonlyArray<Edit> => {
    const { end, name, start } = member
    if (name === "model") return [{ from: start, to: end, insert: Utf8.encode(json) }]
    if (!requests.includes(name)) return []
    return bytes[start] === leftBracket ? (items(bytes, start, end) ?? []).flatMap(renamed) : renamed(member)
  })
  return edits.length === 0 ? bytes : splice(bytes, 0, bytes.length, edits)
}

const requestForModel: Protocol["request"] = (exchange, alias) => {
  const { bytes, model } = exchange
  const name = alias.model ?? model
  return messageOf(exchange, {
    path: pathOf(exchange, alias),
    body: name === undefined ? bytes : withModel(bytes, name)
  })
}

/** It costs nothing, so nothing is read of the answer. */
const counting: Omit<Protocol, "id"> = { ...json, request: requestForModel }

const isVector = (item: unknown): boolean => Array.isArray(read(item, ["values"]))

/** Embeddings have no output to bill. */
const embeddings: Omit<Protocol, "id"> = {
  ...json,
  request: requestForModel,
  evidence: evidenceOf({
    outputs: (answer) => outputsIn(read(answer, ["embeddings"]) ?? [read(answer, ["embedding"])], isVector),
    usage: usageOf,
    impossible: (answer) => impossibleIn(read(answer, ["usageMetadata"])),
    textBytes: () => 0
  })
}

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
  streamMeter: (_, eventBytes) => streamMeter(eventBytes),
  formats: new Map([
    [countTokensGemini.id, counting],
    [embedContent.id, embeddings],
    [batchEmbedContents.id, embeddings]
  ])
}
