import type { EventReader, EventWriter, WriterOptions } from "../Codec.ts"
import type { Answer, AnswerEvent, AnswerPart, CallPart, Ending, Finish, Sealed, Usage } from "../Conversation.ts"
import { writeError } from "../errors.ts"
import { endingOf, OnePart } from "../events.ts"
import { parseObject, stringify } from "../exact.ts"
import { countOr, defined, isObject, type Json, listOr, objectOr, textOr } from "../json.ts"
import { readUsage } from "../usage.ts"
import { readAnswered, writeAnswered } from "./parts.ts"
import { generateContentUsage } from "./usage.ts"
import { writeSealed } from "./sealed.ts"

const finishes: Readonly<Record<string, Finish>> = {
  STOP: "stop",
  MAX_TOKENS: "length",
  SAFETY: "filter",
  RECITATION: "filter",
  BLOCKLIST: "filter",
  PROHIBITED_CONTENT: "filter",
  SPII: "filter",
  MODEL_ARMOR: "filter",
  IMAGE_SAFETY: "filter",
  IMAGE_PROHIBITED_CONTENT: "filter",
  IMAGE_RECITATION: "filter"
}

const words: Readonly<Record<Exclude<Finish, "other">, string>> = {
  stop: "STOP",
  sequence: "STOP",
  calls: "STOP",
  length: "MAX_TOKENS",
  filter: "SAFETY"
}

/** Its own words are capitals. */
const finishWord = ({ finish, reason }: Ending): string =>
  finish === "other" ? (/^[A-Z][A-Z_]*$/.test(reason) ? reason : "OTHER") : words[finish]

/** A blocked prompt has no candidate. */
const endingIn = (answer: Json, candidate: Json, hasCalls: boolean): Ending | undefined => {
  const blocked = textOr(objectOr(answer["promptFeedback"])["blockReason"])
  const reason = textOr(candidate["finishReason"])
  if (reason === "") return blocked === "" ? undefined : { finish: "filter", reason: blocked }
  return endingOf(finishes, reason, hasCalls)
}

/** There is one: others are refused with the request. */
const candidateOf = (answer: Json): Json =>
  listOr(answer["candidates"]).find(({ index }) => (countOr(index) ?? 0) === 0) ?? {}

/** Calls without ids get some that are different in each answer. */
const idsOf = (answer: Json): ((name: string, given: unknown) => string) => {
  const prefix = [
    "call",
    textOr(answer["responseId"])
      .replaceAll(/[^\w-]/g, "")
      .slice(0, 24)
  ]
    .filter(Boolean)
    .join("_")
  let count = 0
  return (_, given) => {
    const made = `${prefix}_${count++}`
    return textOr(given) || made
  }
}

const partsOf = (candidate: Json): ReadonlyArray<Json> => listOr(objectOr(candidate["content"])["parts"])

const writeUsage = ({ cacheRead, cacheWrite = 0, input = 0, output = 0, reasoning }: Usage): Json => {
  const prompt = input + (cacheRead ?? 0) + cacheWrite
  return defined({
    promptTokenCount: prompt,
    candidatesTokenCount: Math.max(0, output - (reasoning ?? 0)),
    totalTokenCount: prompt + output,
    cachedContentTokenCount: cacheRead,
    thoughtsTokenCount: reasoning
  })
}

export const readAnswer = (answer: Json): Answer => {
  const candidate = candidateOf(answer)
  const idOf = idsOf(answer)
  const parts = partsOf(candidate).flatMap((part) => readAnswered(part, "parts", idOf))
  const hasCalls = parts.some(({ type }) => type === "call")
  return {
    id: textOr(answer["responseId"]),
    model: textOr(answer["modelVersion"]),
    parts,
    ...(endingIn(answer, candidate, hasCalls) ?? { finish: "other", reason: "" }),
    usage: readUsage(generateContentUsage, answer["usageMetadata"])
  }
}

/** A model may write arguments that are no object. They are kept as they are, so that nothing is lost. */
const writeCall = ({ arguments: given, id, name }: CallPart): Json => ({
  id,
  name,
  args: parseObject(given || "{}") ?? { invalid_json: given }
})

const write = (
  { id, model }: { readonly id: string; readonly model: string },
  parts: ReadonlyArray<Json>,
  last?: { readonly ending: Ending; readonly usage: Usage }
): Json =>
  defined({
    candidates: [
      defined({ content: { parts, role: "model" }, finishReason: last && finishWord(last.ending), index: 0 })
    ],
    usageMetadata: last && writeUsage(last.usage),
    modelVersion: model || undefined,
    responseId: id || undefined
  })

export const writeAnswer = (answer: Answer, _: WriterOptions): Json =>
  write(answer, writeAnswered(answer.parts, writeSealed, writeCall), { ending: answer, usage: answer.usage })

/** Reads the items of a stream, each of which has the form of an answer. None is the last by its form. */
export const reader = (): EventReader => {
  const open = new OnePart()
  let idOf: ReturnType<typeof idsOf> | undefined
  let hasCalls = false
  let isFinished = false
  let isEnded = false
  const add = (events: Array<AnswerEvent>, part: AnswerPart, isThought: boolean): void => {
    if (part.type === "text") open.say(events, part.type, part.text)
    else if (part.type === "reasoning") {
      if (!isThought) open.close(events)
      open.say(events, part.type, part.text)
      if (part.sealed === undefined) return
      open.seal(events, part.sealed)
      open.close(events)
    } else if (part.type === "call") {
      hasCalls = true
      const { arguments: text, id, name, sealed } = part
      open.close(events)
      events.push(
        { type: "open", part: "call", id, name, ...(sealed === undefined ? {} : { sealed }) },
        { type: "more", text },
        { type: "close" }
      )
    }
  }
  return {
    next: (item) => {
      const { error } = item
      if (isObject(error)) {
        return [{ type: "error", message: textOr(error["message"]), code: textOr(error["status"]) || undefined }]
      }
      const events: Array<AnswerEvent> = []
      if (idOf === undefined) {
        idOf = idsOf(item)
        events.push({ type: "start", id: textOr(item["responseId"]), model: textOr(item["modelVersion"]) })
      }
      const candidate = candidateOf(item)
      const parts = partsOf(candidate)
      if (isFinished && parts.length > 0) return [{ type: "error", message: "The answer goes on after its end." }]
      for (const given of parts) {
        for (const part of readAnswered(given, "parts", idOf)) add(events, part, given["thought"] === true)
      }
      const usage = item["usageMetadata"]
      if (isObject(usage)) events.push({ type: "usage", usage: readUsage(generateContentUsage, usage) })
      const ending = isFinished ? undefined : endingIn(item, candidate, hasCalls)
      if (ending !== undefined) {
        isFinished = true
        open.close(events)
        events.push({ type: "finish", ...ending })
      }
      if (isFinished && !isEnded && isObject(usage)) {
        isEnded = true
        events.push({ type: "end" })
      }
      return events
    }
  }
}

/** Writes the items of a stream: as events, or as one array. */
export const writer = ({ isArray }: WriterOptions): EventWriter => {
  let head = { id: "", model: "" }
  let part: (AnswerEvent & { readonly type: "open" }) | undefined
  let text = ""
  let usage: Usage = {}
  let ending: Ending = { finish: "other", reason: "" }
  let before = "["
  const add = (item: Json, isLast: boolean): string => {
    const written = stringify(item)
    if (!isArray) return `data: ${written}\r\n\r\n`
    const separator = before
    before = ",\r\n"
    return separator + written + (isLast ? "]" : "")
  }
  const say = (...parts: ReadonlyArray<Json>): string => add(write(head, parts), false)
  const signature = (sealed: Sealed): Json => ({
    text: "",
    ...(text === "" ? {} : { thought: true }),
    thoughtSignature: writeSealed(sealed)
  })
  return {
    next: (event) => {
      switch (event.type) {
        case "start":
          head = event
          return ""
        case "open":
          part = event
          text = ""
          return ""
        case "more":
          // Only a call is written when it is whole.
          text = part?.part === "call" ? text + event.text : event.text || text
          if (part?.part === "call") return ""
          return say({ text: event.text, ...(part?.part === "reasoning" ? { thought: true } : {}) })
        case "sealed":
          return say(signature(event.sealed))
        case "close":
          return part?.part === "call"
            ? say(...writeAnswered([{ ...part, type: "call", arguments: text }], writeSealed, writeCall))
            : ""
        case "usage":
          usage = { ...usage, ...defined(event.usage as Json) }
          return ""
        case "finish":
          ending = event
          return ""
        case "end":
          return add(write(head, [], { ending, usage }), true)
        case "error":
          return add(writeError("generateContent", 502, event), true)
      }
    }
  }
}
