import type { Answer, AnswerEvent, AnswerPart, CallPart, Ending, Finish, Usage } from "../Conversation.ts"
import type { EventReader, EventWriter, WriterOptions } from "../Codec.ts"
import { endingOf, OnePart } from "../events.ts"
import { countOr, defined, type Json, listOr, objectOr, textOr } from "../json.ts"
import { writeError } from "../errors.ts"
import { stringify } from "../exact.ts"
import { readUsage } from "../usage.ts"
import { readDetails, writeDetail, writeDetails } from "./details.ts"
import { chatUsage } from "./usage.ts"

const finishes: Readonly<Record<string, Finish>> = {
  stop: "stop",
  length: "length",
  tool_calls: "calls",
  function_call: "calls",
  content_filter: "filter"
}

const words: Readonly<Record<Exclude<Finish, "other">, string>> = {
  stop: "stop",
  sequence: "stop",
  length: "length",
  calls: "tool_calls",
  filter: "content_filter"
}

const finishWord = ({ finish, reason }: Ending): string => (finish === "other" ? reason : words[finish])

const writeUsage = ({ cacheRead = 0, cacheWrite = 0, input = 0, output = 0, reasoning }: Usage): Json => {
  const prompt = input + cacheRead + cacheWrite
  return defined({
    prompt_tokens: prompt,
    completion_tokens: output,
    total_tokens: prompt + output,
    prompt_tokens_details: defined({
      cached_tokens: cacheRead,
      cache_write_tokens: cacheWrite === 0 ? undefined : cacheWrite
    }),
    completion_tokens_details: reasoning === undefined ? undefined : { reasoning_tokens: reasoning }
  })
}

const readCall = (call: Json): CallPart => {
  const { arguments: given, name } = objectOr(call["function"])
  return { type: "call", id: textOr(call["id"]), name: textOr(name), arguments: textOr(given) }
}

const partsOf = (message: Json): ReadonlyArray<AnswerPart> => {
  const calls = listOr(message["tool_calls"]).map(readCall)
  const reasoning = textOr(message["reasoning_content"]) || textOr(message["reasoning"])
  const thought = readDetails(message["reasoning_details"], reasoning, calls)
  const content = textOr(message["content"])
  const refusal = textOr(message["refusal"])
  return [
    ...thought.reasoning,
    ...(content === "" ? [] : [{ type: "text", text: content } as const]),
    ...(refusal === "" ? [] : [{ type: "refusal", text: refusal } as const]),
    ...thought.calls
  ]
}

/** An answer is the first choice: the events of several come in any order. */
const choiceOf = (answer: Json): Json => listOr(answer["choices"]).find(({ index = 0 }) => index === 0) ?? {}

export const readAnswer = (answer: Json): Answer => {
  const choice = choiceOf(answer)
  const parts = partsOf(objectOr(choice["message"]))
  return {
    id: textOr(answer["id"]),
    model: textOr(answer["model"]),
    parts,
    ...endingOf(
      finishes,
      textOr(choice["finish_reason"]),
      parts.some(({ type }) => type === "call")
    ),
    usage: readUsage(chatUsage, answer["usage"])
  }
}

const textIn = (parts: ReadonlyArray<AnswerPart>, type: "text" | "reasoning" | "refusal"): string =>
  parts.map((part) => (part.type === type ? part.text : "")).join("")

export const writeAnswer = (answer: Answer, { created }: WriterOptions): Json => {
  const { id, model, parts, usage } = answer
  const calls = parts.flatMap((part) =>
    part.type === "call"
      ? [{ id: part.id, type: "function", function: { name: part.name, arguments: part.arguments || "{}" } }]
      : []
  )
  const content = textIn(parts, "text")
  return {
    id,
    object: "chat.completion",
    created,
    model,
    choices: [
      {
        index: 0,
        message: defined({
          role: "assistant",
          content: content === "" && calls.length > 0 ? null : content,
          refusal: textIn(parts, "refusal") || null,
          reasoning_content: textIn(parts, "reasoning") || undefined,
          reasoning_details: writeDetails(parts),
          tool_calls: calls.length === 0 ? undefined : calls
        }),
        logprobs: null,
        finish_reason: finishWord(answer)
      }
    ],
    usage: writeUsage(usage)
  }
}

export const reader = (): EventReader => {
  const parts = new OnePart()
  let isStarted = false
  let hasCalls = false
  return {
    next: (chunk) => {
      const events: Array<AnswerEvent> = []
      if (!isStarted) {
        isStarted = true
        events.push({ type: "start", id: textOr(chunk["id"]), model: textOr(chunk["model"]) })
      }
      const error = chunk["error"]
      if (error !== undefined && error !== null) {
        const { code, message } = objectOr(error)
        return [{ type: "error", message: textOr(message) || textOr(error), code: textOr(code) || undefined }]
      }
      const choice = choiceOf(chunk)
      const delta = objectOr(choice["delta"])
      parts.say(events, "reasoning", textOr(delta["reasoning_content"]) || textOr(delta["reasoning"]))
      const calls = listOr(delta["tool_calls"])
      const thought = readDetails(delta["reasoning_details"], "", calls.map(readCall))
      for (const part of thought.reasoning) if (part.sealed !== undefined) parts.seal(events, part.sealed)
      parts.say(events, "text", textOr(delta["content"]))
      parts.say(events, "refusal", textOr(delta["refusal"]))
      for (const [position, call] of thought.calls.entries()) {
        hasCalls = true
        parts.call(events, countOr(calls[position]?.["index"]) ?? position, call)
      }
      const reason = textOr(choice["finish_reason"])
      if (reason !== "") {
        parts.close(events)
        events.push({ type: "finish", ...endingOf(finishes, reason, hasCalls) })
      }
      if (chunk["usage"] !== undefined && chunk["usage"] !== null) {
        events.push({ type: "usage", usage: readUsage(chatUsage, chunk["usage"]) })
      }
      return events
    }
  }
}

export const writer = ({ created, wantsUsage }: WriterOptions): EventWriter => {
  const headOf = (id: string, model: string): string =>
    JSON.stringify({ id, object: "chat.completion.chunk", created, model }).slice(1, -1)
  let head = headOf("", "")
  let last = ""
  let part: "text" | "reasoning" | "refusal" | "call" = "text"
  let calls = 0
  let reasoning = ""
  let details = 0
  let usage: Usage = {}
  const noUsage = wantsUsage ? ',"usage":null' : ""
  // Put together as text: every word of every stream passes here.
  const delta = (json: string, reason = "null"): string =>
    `data: {${head},"choices":[{"index":0,"delta":${json},"logprobs":null,"finish_reason":${reason}}]${noUsage}}\n\n`
  const choice = (json: Json): string => delta(stringify(json))
  const more = (text: string): string => {
    const written = JSON.stringify(text)
    switch (part) {
      case "text":
        return delta(`{"content":${written}}`)
      case "reasoning":
        reasoning += text
        return delta(`{"reasoning_content":${written}}`)
      case "refusal":
        return delta(`{"refusal":${written}}`)
      case "call":
        return delta(`{"tool_calls":[{"index":${calls - 1},"function":{"arguments":${written}}}]}`)
    }
  }
  const begun = ({ id, name, sealed }: AnswerEvent & { readonly type: "open"; readonly part: "call" }): Json =>
    defined({
      tool_calls: [{ index: calls++, id, type: "function", function: { name, arguments: "" } }],
      reasoning_details: sealed && [writeDetail(details++, "", sealed, id)]
    })
  return {
    next: (event) => {
      switch (event.type) {
        case "start":
          head = headOf(event.id, event.model)
          return choice({ role: "assistant", content: "", refusal: null })
        case "open":
          part = event.part
          reasoning = ""
          return event.part === "call" ? choice(begun(event)) : ""
        case "more":
          return more(event.text)
        case "sealed": {
          const detail = writeDetail(details++, reasoning, event.sealed)
          // Another signature repeats no text.
          reasoning = ""
          return choice({ reasoning_details: [detail] })
        }
        case "close":
          return ""
        case "usage":
          usage = { ...usage, ...defined(event.usage as Json) }
          return ""
        case "finish":
          // The answer may still break off.
          last = delta("{}", JSON.stringify(finishWord(event)))
          return ""
        case "end": {
          const report = `data: {${head},"choices":[],"usage":${JSON.stringify(writeUsage(usage))}}\n\n`
          return `${last}${wantsUsage ? report : ""}data: [DONE]\n\n`
        }
        case "error":
          return `data: ${JSON.stringify(writeError("chat", 502, event))}\n\n`
      }
    }
  }
}
