import type { EventReader } from "../Codec.ts"
import type { Answer, AnswerEvent, AnswerPart, Finish, Sealed } from "../Conversation.ts"
import { endingOf, OnePart } from "../events.ts"
import { stringify } from "../exact.ts"
import { countOr, isObject, type Json, listOr, Malformed, objectOr, textOr } from "../json.ts"
import { readRedacted } from "../sealed.ts"
import { readUsage } from "../usage.ts"
import { converseUsage } from "./usage.ts"

const finishes: Readonly<Record<string, Finish>> = {
  end_turn: "stop",
  max_tokens: "length",
  model_context_window_exceeded: "length",
  stop_sequence: "sequence",
  tool_use: "calls",
  content_filtered: "filter",
  guardrail_intervened: "filter"
}

/** What a block of reasoning is signed with, or a piece of it. */
const sealOf = ({ redactedContent, signature }: Json): Sealed | undefined => {
  if (textOr(redactedContent) !== "") return readRedacted(textOr(redactedContent), "amazon")
  return textOr(signature) === "" ? undefined : { by: "amazon", data: textOr(signature) }
}

const textIn = (text: unknown): ReadonlyArray<AnswerPart> =>
  textOr(text) === "" ? [] : [{ type: "text", text: textOr(text) }]

/** Reads a block. The field that is there says what it is. */
const readBlock = (block: Json): ReadonlyArray<AnswerPart> => {
  const { citationsContent, reasoningContent, text, toolUse } = block
  if (typeof text === "string") return textIn(text)
  if (isObject(reasoningContent)) {
    const { signature, text } = objectOr(reasoningContent["reasoningText"])
    return [{ type: "reasoning", text: textOr(text), sealed: sealOf({ ...reasoningContent, signature }) }]
  }
  // The text that is cited from somewhere.
  if (isObject(citationsContent)) return listOr(citationsContent["content"]).flatMap(({ text }) => textIn(text))
  if (!isObject(toolUse)) return []
  const { input, name, toolUseId } = toolUse
  return [{ type: "call", id: textOr(toolUseId), name: textOr(name), arguments: stringify(input ?? {}) }]
}

/** Reads an answer. It names neither itself nor its model. */
export const readAnswer = (answer: Json): Answer => {
  const parts = listOr(objectOr(objectOr(answer["output"])["message"])["content"]).flatMap(readBlock)
  const hasCalls = parts.some(({ type }) => type === "call")
  const ending = endingOf(finishes, textOr(answer["stopReason"]), hasCalls)
  return { id: "", model: "", parts, ...ending, usage: readUsage(converseUsage, answer["usage"]) }
}

/** Reads the events of a stream, each of which is an object with one field: its name. */
export const reader = (): EventReader => {
  const parts = new OnePart()
  /** The calls that have begun, and whether they have an input. */
  const calls = new Map<number, boolean>()
  /** Of the open block, which is signed in pieces. */
  let seal: Sealed | undefined
  const call = (events: Array<AnswerEvent>, index: number, input: string, { name, toolUseId }: Json = {}): void => {
    calls.set(index, input !== "")
    parts.call(events, index, { type: "call", id: textOr(toolUseId), name: textOr(name), arguments: input })
  }
  const add = (events: Array<AnswerEvent>, index: number, delta: Json): void => {
    const { reasoningContent, text, toolUse } = delta
    parts.say(events, "text", textOr(text))
    if (isObject(reasoningContent)) {
      parts.say(events, "reasoning", textOr(reasoningContent["text"]))
      const more = textOr(reasoningContent["signature"]) || textOr(reasoningContent["redactedContent"])
      seal = seal === undefined ? sealOf(reasoningContent) : { ...seal, data: seal.data + more }
    }
    const input = isObject(toolUse) ? textOr(toolUse["input"]) : ""
    if (input === "") return
    if (!calls.has(index)) throw new Malformed("contentBlockDelta", "a call that has begun")
    call(events, index, input)
  }
  const close = (events: Array<AnswerEvent>): void => {
    if (seal !== undefined) parts.seal(events, seal)
    seal = undefined
    parts.close(events)
  }
  return {
    next: (event) => {
      const { contentBlockDelta, contentBlockStart, contentBlockStop, messageStart, messageStop, metadata } = event
      const events: Array<AnswerEvent> = []
      if (isObject(messageStart)) events.push({ type: "start", id: "", model: "" })
      else if (isObject(contentBlockStart)) {
        const { toolUse } = objectOr(contentBlockStart["start"])
        if (isObject(toolUse)) call(events, countOr(contentBlockStart["contentBlockIndex"]) ?? 0, "", toolUse)
      } else if (isObject(contentBlockDelta)) {
        add(events, countOr(contentBlockDelta["contentBlockIndex"]) ?? 0, objectOr(contentBlockDelta["delta"]))
      } else if (isObject(contentBlockStop)) {
        const index = countOr(contentBlockStop["contentBlockIndex"]) ?? 0
        // A tool without parameters.
        if (calls.get(index) === false) call(events, index, "{}")
        close(events)
      } else if (isObject(messageStop)) {
        close(events)
        events.push({ type: "finish", ...endingOf(finishes, textOr(messageStop["stopReason"]), calls.size > 0) })
      } else if (isObject(metadata)) {
        events.push({ type: "usage", usage: readUsage(converseUsage, metadata["usage"]) }, { type: "end" })
      } else if (isObject(event["error"])) {
        const { message, type } = event["error"]
        events.push({ type: "error", message: textOr(message), code: textOr(type) || undefined })
      }
      return events
    }
  }
}
