import type { EventReader, EventWriter, WriterOptions } from "../Codec.ts"
import type { Answer, AnswerEvent, AnswerPart, Ending, Finish, Sealed, Usage } from "../Conversation.ts"
import { writeError } from "../errors.ts"
import { parseObject, stringify } from "../exact.ts"
import { defined, isObject, type Json, Malformed, objectOr, textOr, wordIn } from "../json.ts"
import { readCallSeal, readRedacted, readSealed, writeCallSeal, writeSealed } from "../sealed.ts"
import { readUsage } from "../usage.ts"
import { writeThinking } from "./thinking.ts"
import { messagesUsage } from "./usage.ts"
import { readAssistant } from "./request.ts"

const finishes: Readonly<Record<string, Finish>> = {
  end_turn: "stop",
  max_tokens: "length",
  model_context_window_exceeded: "length",
  stop_sequence: "sequence",
  tool_use: "calls",
  refusal: "filter"
}

const words: Readonly<Record<Exclude<Finish, "other">, string>> = {
  stop: "end_turn",
  length: "max_tokens",
  sequence: "stop_sequence",
  calls: "tool_use",
  filter: "refusal"
}

const endingOf = (reason: string, sequence: unknown): Ending => ({
  finish: wordIn(finishes, reason) ?? "other",
  reason,
  sequence: typeof sequence === "string" ? sequence : undefined
})

const stopWord = ({ finish, reason }: Ending): string => (finish === "other" ? reason : words[finish])

const writeUsage = ({ cacheRead = 0, cacheWrite = 0, input = 0, output = 0 }: Usage): Json => ({
  input_tokens: input,
  cache_creation_input_tokens: cacheWrite,
  cache_read_input_tokens: cacheRead,
  output_tokens: output
})

export const readAnswer = (answer: Json): Answer => ({
  id: textOr(answer["id"]),
  model: textOr(answer["model"]),
  parts: readAssistant(answer["content"], "content"),
  ...endingOf(textOr(answer["stop_reason"]), answer["stop_sequence"]),
  usage: readUsage(messagesUsage, answer["usage"])
})

/** The arguments of a call as an object. A model may write others: as they were written, so that nothing is lost. */
const inputOf = (written: string): Json => parseObject(written === "" ? "{}" : written) ?? { invalid_json: written }

/** Stands before a call that its model signed. */
const sealOf = (sealed: Sealed): Json => ({
  type: "redacted_thinking",
  data: writeCallSeal(sealed, "anthropic")
})

const writePart = (part: AnswerPart): ReadonlyArray<Json> => {
  switch (part.type) {
    case "text":
    case "refusal":
      return part.text === "" ? [] : [{ type: "text", text: part.text }]
    case "reasoning":
      return [writeThinking(part.text, part.sealed)]
    case "call": {
      const { id, name, sealed } = part
      return [
        ...(sealed === undefined ? [] : [sealOf(sealed)]),
        { type: "tool_use", id, name, input: inputOf(part.arguments) }
      ]
    }
    case "own":
      return []
  }
}

export const writeAnswer = (answer: Answer, _: WriterOptions): Json => ({
  id: answer.id,
  type: "message",
  role: "assistant",
  model: answer.model,
  content: answer.parts.flatMap(writePart),
  stop_reason: stopWord(answer),
  stop_sequence: answer.sequence ?? null,
  usage: writeUsage(answer.usage)
})

export const reader = (): EventReader => {
  let usage: Usage = {}
  let isOpen = false
  /** A block is open that only this protocol has. */
  let isOwn = false
  let ofCall: Sealed | undefined
  const opened = (block: Json): ReadonlyArray<AnswerEvent> => {
    isOpen = true
    switch (block["type"]) {
      case "text":
        return [{ type: "open", part: "text" }, ...added({ text: block["text"] })]
      case "thinking":
        return [{ type: "open", part: "reasoning" }, ...added({ thinking: block["thinking"] })]
      case "redacted_thinking":
        ofCall = readCallSeal(block["data"], "anthropic")
        isOpen = ofCall === undefined
        isOwn = !isOpen
        return isOpen
          ? [
              { type: "open", part: "reasoning" },
              { type: "sealed", sealed: readRedacted(textOr(block["data"]), "anthropic") }
            ]
          : []
      case "tool_use": {
        const { id, input, name } = block
        const sealed = ofCall
        ofCall = undefined
        return [
          defined({ type: "open", part: "call", id: textOr(id), name: textOr(name), sealed }) as AnswerEvent,
          // Usually it is empty, and comes in pieces.
          ...added({ partial_json: isObject(input) && Object.keys(input).length > 0 ? stringify(input) : "" })
        ]
      }
      default:
        isOpen = false
        isOwn = true
        return []
    }
  }
  const added = (delta: Json): ReadonlyArray<AnswerEvent> => {
    if (isOwn) return []
    if (!isOpen) throw new Malformed("content_block_delta", "a block that has begun")
    if (delta["type"] === "signature_delta") {
      return [{ type: "sealed", sealed: readSealed(textOr(delta["signature"]), "anthropic") }]
    }
    const more = textOr(delta["text"]) || textOr(delta["thinking"]) || textOr(delta["partial_json"])
    return more === "" ? [] : [{ type: "more", text: more }]
  }
  return {
    next: (event) => {
      switch (event["type"]) {
        case "message_start": {
          const { id, model, usage: first } = objectOr(event["message"])
          usage = readUsage(messagesUsage, first)
          return [{ type: "start", id: textOr(id), model: textOr(model) }]
        }
        case "content_block_start":
          return opened(objectOr(event["content_block"]))
        case "content_block_delta":
          return added(objectOr(event["delta"]))
        case "content_block_stop": {
          const wasOpen = isOpen
          isOpen = false
          isOwn = false
          return wasOpen ? [{ type: "close" }] : []
        }
        case "message_delta": {
          const { stop_reason: reason, stop_sequence: sequence } = objectOr(event["delta"])
          usage = { ...usage, ...defined(readUsage(messagesUsage, event["usage"]) as Json) }
          const told: AnswerEvent = { type: "usage", usage }
          return typeof reason === "string" ? [told, { type: "finish", ...endingOf(reason, sequence) }] : [told]
        }
        case "message_stop":
          return [{ type: "end" }]
        case "error": {
          const { message, type } = objectOr(event["error"])
          return [{ type: "error", message: textOr(message), code: textOr(type) || undefined }]
        }
        default:
          return []
      }
    }
  }
}

export const writer = (_: WriterOptions): EventWriter => {
  let index = -1
  let part: "text" | "reasoning" | "call" = "text"
  let usage: Usage = {}
  let ending: Ending = { finish: "stop", reason: "" }
  const write = (event: Json & { readonly type: string }): string =>
    `event: ${event.type}\ndata: ${stringify(event)}\n\n`
  const start = (block: Json): string => write({ type: "content_block_start", index: ++index, content_block: block })
  // Put together as text: every word of every stream passes here.
  const add = (type: string, field: string, text: string): string =>
    `event: content_block_delta\ndata: {"type":"content_block_delta","index":${index},"delta":{"type":"${type}","${field}":${JSON.stringify(text)}}}\n\n`
  const stop = (): string => write({ type: "content_block_stop", index })
  const opened = ({ id, name, sealed }: AnswerEvent & { readonly type: "open"; readonly part: "call" }): string => {
    const seal = sealed === undefined ? "" : start(sealOf(sealed)) + stop()
    return seal + start({ type: "tool_use", id, name, input: {} })
  }
  /** Reasoning without text and with a signature is redacted: it begins when either is known. */
  let isWaiting = false
  const begin = (): string => {
    if (!isWaiting) return ""
    isWaiting = false
    return start({ type: "thinking", thinking: "", signature: "" })
  }
  return {
    next: (event) => {
      switch (event.type) {
        case "start":
          return write({
            type: "message_start",
            message: {
              id: event.id,
              type: "message",
              role: "assistant",
              model: event.model,
              content: [],
              stop_reason: null,
              stop_sequence: null,
              usage: writeUsage(usage)
            }
          })
        case "open":
          part = event.part === "refusal" ? "text" : event.part
          if (event.part === "call") return opened(event)
          if (event.part !== "reasoning") return start({ type: "text", text: "" })
          isWaiting = true
          return ""
        case "more": {
          if (part === "text") return add("text_delta", "text", event.text)
          if (part === "call") return add("input_json_delta", "partial_json", event.text)
          return begin() + add("thinking_delta", "thinking", event.text)
        }
        case "sealed": {
          const block = isWaiting ? writeThinking("", event.sealed) : {}
          if (block["type"] !== "redacted_thinking") {
            return begin() + add("signature_delta", "signature", writeSealed(event.sealed, "anthropic"))
          }
          isWaiting = false
          return start(block)
        }
        case "close":
          return begin() + stop()
        case "usage":
          usage = { ...usage, ...defined(event.usage as Json) }
          return ""
        case "finish":
          ending = event
          return ""
        case "end":
          return (
            write({
              type: "message_delta",
              delta: { stop_reason: stopWord(ending), stop_sequence: ending.sequence ?? null },
              usage: writeUsage(usage)
            }) + write({ type: "message_stop" })
          )
        case "error":
          return `event: error\ndata: ${JSON.stringify(writeError("messages", 502, event))}\n\n`
      }
    }
  }
}
