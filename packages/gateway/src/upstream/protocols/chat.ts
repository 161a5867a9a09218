import { promptsIn } from "@tollgate/contract/price/contracts/modelRequest"
import { read } from "@tollgate/contract/price/exact"
import { chatUsage } from "@tollgate/protocols/chat/usage"
import { isObject, type Json, listOr, objectOr, textOr } from "@tollgate/protocols/json"
import * as Predicate from "effect/Predicate"
import type { Decoded } from "../../exchange/Exchange.ts"
import { without } from "../../internal/jsonEdit.ts"
import { parseCount } from "../../internal/jsonValue.ts"
import type { Verdict } from "./filterEvents.ts"
import { isError, lengthOf, Outputs, Tally } from "./Tally.ts"

/** The bytes of generated text in a message, or in what is new of one. */
const bytesIn = (given: unknown): number => {
  if (!isObject(given)) return 0
  const { content, function_call: call, reasoning, reasoning_content: thought, refusal, tool_calls: calls } = given
  // Two names for the same text; an upstream may send both.
  let bytes = lengthOf(content) + lengthOf(refusal) + Math.max(lengthOf(reasoning), lengthOf(thought))
  if (call !== undefined) bytes += lengthOf(objectOr(call)["arguments"])
  if (calls !== undefined) {
    for (const { custom, function: call } of listOr(calls)) {
      bytes += lengthOf(objectOr(call)["arguments"]) + lengthOf(objectOr(custom)["input"])
    }
  }
  if (Array.isArray(content)) for (const { text } of listOr(content)) bytes += lengthOf(text)
  return bytes
}

const withoutUsage = without("usage")

/** OpenAI's chat completions: whole, or as chunks. */
export class ChatTally extends Tally {
  override readonly endMark = "[DONE]"
  override readonly hasRepeatedEvents = true
  readonly #removesUsage: boolean
  readonly #wanted: number
  readonly #choices = new Outputs()

  /** `removesUsage`: the gateway asked for the usage report and the caller did not. */
  constructor({ input: { body } }: Decoded, removesUsage: boolean) {
    super(chatUsage)
    this.#removesUsage = removesUsage
    this.#wanted = (parseCount(read(body, ["n"])) || 1) * promptsIn(body)
    // A model that searches does it once for each answer, and does not report it.
    if (Predicate.isObject(read(body, ["web_search_options"]))) {
      this.served.uses = { web_search: parseCount(read(body, ["n"])) || 1 }
    }
  }

  add(event: Json): void {
    const { choices, error } = event
    const reported = this.reportedIn(event)
    const needsText = this.needsText(reported)
    let bytes = 0
    for (const { delta, finish_reason: reason, index, message, text } of listOr(choices)) {
      if (needsText) bytes += bytesIn(delta) + bytesIn(message) + lengthOf(text)
      if (textOr(reason) !== "") this.#choices.add(index, true)
      this.isStarted = true
    }
    this.isFinished = this.#choices.ended >= this.#wanted
    this.isFailed ||= isError(error)
    this.isStarted ||= reported !== undefined && Array.isArray(choices)
    this.addServed(event, reported !== undefined)
    this.addText(bytes, reported)
  }

  override verdict({ choices, error, usage }: Json, bytes: Uint8Array, from: number, to: number): Verdict {
    if (!this.#removesUsage || usage === undefined) return "keep"
    const isOnlyReport = isObject(usage) && Array.isArray(choices) && choices.length === 0 && !isError(error)
    return isOnlyReport ? "drop" : (withoutUsage(bytes, from, to) ?? "keep")
  }
}
