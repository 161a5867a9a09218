import type { Refusal } from "@tollgate/contract/errors/Refused"
import { read } from "@tollgate/contract/price/exact"
import { priceFactorsOf } from "@tollgate/contract/price/PriceFactors"
import { isObject, type Json, listOr, objectOr, textOr } from "@tollgate/protocols/json"
import { responsesUsage } from "@tollgate/protocols/responses/usage"
import { countAt } from "@tollgate/protocols/usage"
import type { Decoded } from "../../exchange/Exchange.ts"
import { set } from "../../internal/jsonEdit.ts"
import { parseCount } from "../../internal/jsonValue.ts"
import type { Protocol, ReportedUsage } from "../Protocol.ts"
import { unknownFields, withGaps } from "../usage/fields.ts"
import { outputsIn } from "./evidence.ts"
import { asksForStream, bodyWithModel, messageOf, pickHeaders } from "./message.ts"
import { isError, lengthOf, Tally } from "./Tally.ts"
import { talliedBy } from "./talliedBy.ts"

const isItem = (item: unknown): boolean => typeof read(item, ["type"]) === "string"

const serverTools = new Set(["file_search", "code_interpreter", "image_generation", "mcp"])

const searches = "web_search"
const preview = "web_search_preview"

/** The tool that an item of the output is a use of. A search that only opens a page is none. */
const toolOf = ({ action, type }: Json): string | undefined => {
  if (typeof type !== "string" || !type.endsWith("_call")) return undefined
  const tool = type.slice(0, -"_call".length)
  if (tool === searches) return action === undefined || read(action, ["type"]) === "search" ? tool : undefined
  return serverTools.has(tool) ? tool : undefined
}

/** The bytes of generated text: messages, calls of tools, and reasoning that is shown. */
const bytesIn = (output: unknown): number => {
  let bytes = 0
  for (const { arguments: given, content, input, summary } of listOr(output)) {
    bytes += lengthOf(given) + lengthOf(input)
    for (const { refusal, text } of [...listOr(content), ...listOr(summary)])
      bytes += lengthOf(text) + lengthOf(refusal)
  }
  return bytes
}

export const responsesError = ({ code, message, param, requestId }: Refusal, number = 0) => ({
  type: "error",
  code,
  message,
  param: param ?? null,
  sequence_number: number,
  request_id: requestId
})

/** OpenAI's Responses. The last event has the whole answer and its usage. */
class ResponsesTally extends Tally {
  readonly #request: unknown
  readonly #uses: Record<string, number> = {}
  /** Every item that was begun is complete, and the last one is no reasoning. */
  #areItemsDone = false
  #nextNumber = 0
  override readonly errorEvent = (error: Refusal) => responsesError(error, this.#nextNumber)

  constructor({ input: { body } }: Decoded) {
    super(responsesUsage)
    this.#request = body
  }

  override addAnswer(response: Json): void {
    this.isWhole = true
    for (const item of listOr(response["output"])) this.#addUse(item)
    this.add({ type: "response.completed", response })
  }

  add({ delta, error, item, response, sequence_number: number, type: given }: Json): void {
    const type = textOr(given)
    this.#nextNumber = Math.max(this.#nextNumber, parseCount(number ?? this.#nextNumber) ?? this.#nextNumber) + 1
    const bytes = lengthOf(delta)
    this.isStarted ||= bytes > 0 || (isObject(response) && type.startsWith("response.") && type !== "response.failed")
    // The `delta` of sound is base64.
    if (type !== "response.audio.delta") this.textBytes += bytes
    if (type === "response.output_item.added") this.#areItemsDone = false
    if (type === "response.output_item.done") {
      this.#areItemsDone = read(item, ["type"]) !== "reasoning"
      this.#addUse(objectOr(item))
    }
    if (isError(error) || type === "error" || type === "response.failed") this.isFailed = true
    this.isComplete ||= type === "response.completed" || type === "response.incomplete"
    this.isFinished = this.isComplete || this.#areItemsDone
    if (!isObject(response)) return
    this.addServed(response, true)
    const reported = this.reportedIn(response)
    // An upstream may leave the deltas out.
    if (this.needsText(reported)) this.textBytes = Math.max(this.textBytes, bytesIn(response["output"]))
    if (reported !== undefined) {
      const { gaps = [], ...used } = this.#used(response["tool_usage"])
      this.usage = withGaps({ ...reported, ...used }, gaps)
    }
    this.isUsageFinal = this.isComplete && this.usage !== undefined
  }

  #addUse(item: Json): void {
    const tool = toolOf(item)
    if (tool === undefined) return
    this.#uses[tool] = (this.#uses[tool] ?? 0) + 1
    Object.assign(this.served, this.#used(undefined))
  }

  /** How often the upstream's tools ran: `usage` has what is billed of searches; without it, those that were counted are. */
  #used(usage: unknown): Pick<ReportedUsage, "uses" | "gaps"> {
    const counted = { ...this.#uses }
    if (read(usage, [searches, "num_requests"]) !== undefined) {
      counted[searches] = countAt(usage, searches, "num_requests")
    }
    const { [searches]: count, ...uses } = counted
    // A preview of the search has another rate and is reported under the search's name: what was asked for tells which it was.
    if (count !== undefined && count > 0) uses[this.#isPreview ? preview : searches] = count
    const gaps = unknownFields(usage, { [searches]: { num_requests: true } }, "tool_usage")
    return {
      ...(Object.keys(uses).length === 0 ? {} : { uses }),
      ...(gaps.length === 0 ? {} : { gaps })
    }
  }

  get #isPreview(): boolean {
    const asked = priceFactorsOf("responses", this.#request).tools?.map(({ name }) => name) ?? []
    return asked.includes(preview) && !asked.includes(searches)
  }
}

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
  ...talliedBy(
    (exchange) => new ResponsesTally(exchange),
    (answer) => outputsIn(read(answer, ["output"]), isItem)
  )
}
