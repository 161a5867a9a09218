import { batchEmbedContents } from "@tollgate/contract/operations/batchEmbedContents"
import { countTokensGemini } from "@tollgate/contract/operations/countTokensGemini"
import { embedContent } from "@tollgate/contract/operations/embedContent"
import { read } from "@tollgate/contract/price/exact"
import * as Utf8 from "@tollgate/contract/Utf8"
import { generateContentUsage } from "@tollgate/protocols/generateContent/usage"
import { isObject, type Json, listOr, objectOr, textOr } from "@tollgate/protocols/json"
import * as Predicate from "effect/Predicate"
import type { Decoded } from "../../exchange/Exchange.ts"
import { countMembers, type Edit, items, members, set, splice } from "../../internal/jsonEdit.ts"
import { leftBracket } from "../../internal/jsonScan.ts"
import { parseQuery } from "../../internal/query.ts"
import type { Alias, Protocol } from "../Protocol.ts"
import { hasType, isEventStream, messageOf } from "./message.ts"
import { outputsIn } from "./evidence.ts"
import { json } from "./json.ts"
import { jsonLengthOf, lengthOf, Outputs, Tally } from "./Tally.ts"
import { talliedBy } from "./talliedBy.ts"

const mostQueries = 1_000

/** Every event has the form of a whole answer. */
class GeminiTally extends Tally {
  override readonly hasNoLastEvent = true
  override readonly mayBeArray = true
  readonly #candidates = new Outputs()
  #isBlocked = false
  /** The different queries of searches that are not empty: each is billed once. */
  readonly #queries = new Set<string>()

  constructor() {
    super(generateContentUsage)
  }

  add(item: Json): void {
    const reported = this.reportedIn(item)
    const needsText = this.needsText(reported)
    let bytes = 0
    for (const { content, finishReason, groundingMetadata, index } of listOr(item["candidates"])) {
      this.#candidates.add(index, textOr(finishReason) !== "")
      for (const { executableCode, functionCall, text } of needsText ? listOr(objectOr(content)["parts"]) : []) {
        bytes += lengthOf(text) + lengthOf(objectOr(executableCode)["code"])
        bytes += jsonLengthOf(objectOr(functionCall)["args"])
      }
      if (isObject(groundingMetadata)) this.#addSearches(groundingMetadata)
    }
    this.#isBlocked ||= textOr(objectOr(item["promptFeedback"])["blockReason"]) !== ""
    this.isFailed ||= isObject(item["error"])
    this.isStarted = this.#isBlocked || this.#candidates.areBegun
    this.isFinished = this.#isBlocked || this.#candidates.areDone
    this.addServed(item, false)
    this.addText(bytes, reported)
  }

  #addSearches({ groundingChunks, webSearchQueries: queries }: Json): void {
    for (const query of Array.isArray(queries) ? queries : []) {
      if (this.#queries.size < mostQueries && textOr(query).trim() !== "") this.#queries.add(query)
    }
    const uses: Record<string, number> = { ...this.served.uses }
    if (this.#queries.size > 0) uses["googleSearch"] = this.#queries.size
    // A prompt that was answered from a map counts once, however many places it found.
    if (listOr(groundingChunks).some(({ maps }) => isObject(maps))) uses["googleMaps"] = 1
    if (Object.keys(uses).length > 0) this.served.uses = uses
  }
}

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
  evidence: talliedBy(
    () => new GeminiTally(),
    (answer) => outputsIn(read(answer, ["embeddings"]) ?? [read(answer, ["embedding"])], isVector)
  ).evidence
}

/** Google's `generateContent`. */
export const gemini: Protocol = {
  id: "gemini",
  request: (exchange, alias) =>
    messageOf(exchange, { path: pathOf(exchange, alias), wantsStream: asksForEvents(exchange) }),
  ...talliedBy(
    () => new GeminiTally(),
    (answer) =>
      outputsIn(read(answer, ["candidates"]), Predicate.isObject) ??
      // A blocked prompt has no candidates.
      (Predicate.isObject(read(answer, ["promptFeedback"])) ? [] : undefined)
  ),
  // Without `alt=sse` a stream is one JSON array, sent as it is generated.
  isStreamed: (exchange, head) =>
    isEventStream(exchange, head) ||
    (exchange.operation.path.endsWith(":streamGenerateContent") && hasType(head, "application/json")),
  formats: new Map([
    [countTokensGemini.id, counting],
    [embedContent.id, embeddings],
    [batchEmbedContents.id, embeddings]
  ])
}
