import type { EventReader, EventWriter, WriterOptions } from "../Codec.ts"
import type { AnswerEvent, AnswerPart, CallPart, Ending, OwnPart, Sealed, Usage } from "../Conversation.ts"
import { OnePart } from "../events.ts"
import { countOr, defined, isObject, type Json, listOr, objectOr, textOr, wordIn } from "../json.ts"
import { readCallSeal } from "../sealed.ts"
import { readUsage } from "../usage.ts"
import { endingOf, readOutput, writeEnding, writeResponse, writeUsage } from "./answer.ts"
import { betweenSummaries, writeInner, writeItem, writeSealOf } from "./items.ts"
import { responsesUsage } from "./usage.ts"

const deltas: Readonly<Record<string, "text" | "reasoning" | "refusal">> = {
  "response.output_text.delta": "text",
  "response.refusal.delta": "refusal",
  "response.reasoning_summary_text.delta": "reasoning",
  "response.reasoning_text.delta": "reasoning"
}

export const reader = (): EventReader => {
  const parts = new OnePart()
  let isStarted = false
  let hasCalls = false
  let ofCall: Sealed | undefined
  /** How many items are whole. */
  let whole = 0
  /** The items of which something has arrived, by their places and ids. */
  const arrived = new Set<number | string>()
  const arrive = (at: number, id: unknown) => {
    arrived.add(at)
    if (textOr(id) !== "") arrived.add(textOr(id))
  }
  const hasArrived = (at: number, id: unknown): boolean => arrived.has(at) || arrived.has(textOr(id))
  const call = (events: Array<AnswerEvent>, at: number, part: CallPart) => {
    parts.call(events, at, { ...part, sealed: ofCall })
    hasCalls = true
    ofCall = undefined
  }
  const done = (events: Array<AnswerEvent>, at: number, item: Json) => {
    const hasMore = hasArrived(at, item["id"])
    ofCall = readCallSeal(item["encrypted_content"], "openai")
    for (const part of readOutput([item])) {
      if (part.type === "own") continue
      if (part.type === "call") call(events, at, hasMore ? { ...part, arguments: "" } : part)
      else if (!hasMore) parts.say(events, part.type, part.text)
      if (part.type === "reasoning" && part.sealed !== undefined) parts.seal(events, part.sealed)
    }
    arrive(at, item["id"])
    whole++
    parts.close(events)
  }
  const ended = (events: Array<AnswerEvent>, response: Json) => {
    // Some upstreams send only whole items, or the whole response.
    for (const [at, item] of listOr(response["output"]).entries()) {
      if (!hasArrived(at, item["id"])) done(events, at, item)
    }
    parts.close(events)
    if (isObject(response["usage"])) events.push({ type: "usage", usage: readUsage(responsesUsage, response["usage"]) })
    events.push({ type: "finish", ...endingOf(response, hasCalls) }, { type: "end" })
  }
  return {
    next: (event) => {
      const type = textOr(event["type"])
      const response = objectOr(event["response"])
      const item = objectOr(event["item"])
      const at = countOr(event["output_index"]) ?? whole
      if (type === "error" || type === "response.failed") {
        const { code, message } = objectOr(type === "error" ? (event["error"] ?? event) : response["error"])
        return [{ type: "error", message: textOr(message), code: textOr(code) || undefined }]
      }
      const events: Array<AnswerEvent> = []
      if (!isStarted && type.startsWith("response.")) {
        isStarted = true
        events.push({ type: "start", id: textOr(response["id"]), model: textOr(response["model"]) })
      }
      const said = wordIn(deltas, type)
      if (said !== undefined) {
        arrive(at, event["item_id"])
        parts.say(events, said, textOr(event["delta"]))
      }
      switch (type) {
        case "response.output_item.added":
          for (const part of readOutput([item])) {
            if (part.type === "call") call(events, at, { ...part, arguments: "" })
          }
          break
        case "response.reasoning_summary_part.added":
          if (arrived.has(at)) parts.say(events, "reasoning", betweenSummaries)
          break
        case "response.function_call_arguments.delta":
          arrive(at, event["item_id"])
          call(events, at, { type: "call", id: "", name: "", arguments: textOr(event["delta"]) })
          break
        case "response.content_part.done":
          parts.close(events)
          break
        case "response.output_item.done":
          done(events, at, item)
          break
        case "response.completed":
        case "response.incomplete":
          ended(events, response)
      }
      return events
    }
  }
}

type Open = Exclude<AnswerPart, OwnPart>

const inContent = { inner: "content_part", index: { content_index: 0 } }
const inSummary = { inner: "reasoning_summary_part", index: { summary_index: 0 } }

/** The events that add to a part, what the last of them calls the whole, and what is inside of the item. */
const kinds = {
  text: { event: "output_text", field: "text", ...inContent },
  refusal: { event: "refusal", field: "refusal", ...inContent },
  reasoning: { event: "reasoning_summary_text", field: "text", ...inSummary },
  call: { event: "function_call_arguments", field: "arguments", inner: undefined, index: {} }
}

export const writer = ({ created }: WriterOptions): EventWriter => {
  let head = { id: "", model: "", created }
  let written = 0
  let usage: Usage = {}
  let ending: Ending = { finish: "other", reason: "" }
  let open: Open | undefined
  /** Of the open part. */
  let text = ""
  let place: Json = {}
  const output: Array<Json> = []
  const write = (name: string, fields: Json): string => {
    const type = `response.${name}`
    return `event: ${type}\ndata: ${JSON.stringify({ type, sequence_number: written++, ...fields })}\n\n`
  }
  const state = (name: string, fields: Json): string => write(name, { response: writeResponse(head, output, fields) })
  const begin = (item: Json): string => write("output_item.added", { output_index: output.length, item })
  const finish = (item: Json): string => {
    const event = write("output_item.done", { output_index: output.length, item })
    output.push(item)
    return event
  }
  const inner = ({ type }: Open, name: "added" | "done"): string => {
    const kind = kinds[type]
    return kind.inner === undefined ? "" : write(`${kind.inner}.${name}`, { ...place, part: writeInner(type, text) })
  }
  const opened = (event: AnswerEvent & { readonly type: "open" }): string => {
    const part: Open =
      event.part === "call" ? { ...event, type: "call", arguments: "" } : { type: event.part, text: "" }
    open = part
    text = ""
    let seal = ""
    if (event.part === "call" && event.sealed !== undefined) {
      const item = writeSealOf(event.sealed, head.id, output.length)
      seal = begin(item) + finish(item)
    }
    const item = writeItem(part, head.id, output.length)
    place = { item_id: item["id"], output_index: output.length, ...kinds[part.type].index }
    return seal + begin({ ...item, status: "in_progress" })
  }
  const more = (part: Open, delta: string): string => {
    if (delta === "") return ""
    const first = text === "" ? inner(part, "added") : ""
    text += delta
    const logprobs = part.type === "text" ? [] : undefined
    return first + write(`${kinds[part.type].event}.delta`, { ...place, delta, logprobs })
  }
  const close = (part: Open): string => {
    open = undefined
    let last = part.type === "call" && text === "" ? more(part, "{}") : ""
    const { event, field } = kinds[part.type]
    const own = part.type === "call" ? { name: part.name } : part.type === "text" ? { logprobs: [] } : {}
    if (text !== "") last += write(`${event}.done`, { ...place, [field]: text, ...own }) + inner(part, "done")
    const whole = part.type === "call" ? { ...part, arguments: text } : { ...part, text }
    return last + finish(writeItem(whole, head.id, output.length))
  }
  return {
    next: (event) => {
      switch (event.type) {
        case "start": {
          head = { ...head, id: event.id, model: event.model }
          const first = { status: "in_progress", usage: null }
          return state("created", first) + state("in_progress", first)
        }
        case "open":
          return opened(event)
        case "more":
          return open === undefined ? "" : more(open, event.text)
        case "sealed":
          if (open?.type === "reasoning") open = { ...open, sealed: event.sealed }
          return ""
        case "close":
          return open === undefined ? "" : close(open)
        case "usage":
          usage = { ...usage, ...defined(event.usage as Json) }
          return ""
        case "finish":
          ending = event
          return ""
        case "end": {
          const ended = writeEnding(ending)
          const last = open === undefined ? "" : close(open)
          return last + state(ended.status, { ...ended, usage: writeUsage(usage) })
        }
        case "error": {
          const { code = null, message, type } = event
          const fields = { type, code, message, param: null, sequence_number: written++ }
          return `event: error\ndata: ${JSON.stringify(fields)}\n\n`
        }
      }
    }
  }
}
