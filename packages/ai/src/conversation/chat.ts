import { usageOf } from "@tollgate/client"
import {
  type AnswerPart,
  type Conversation,
  type Delta,
  type FilePart,
  type Finish,
  type Ignored,
  type Json,
  type Message,
  type Protocol,
  type TextPart,
  type ToolResult,
  Unsupported
} from "./Conversation.ts"
import { count, defined, list, object, text } from "./parts.ts"

const finishes: Readonly<Record<string, Finish>> = {
  stop: "stop",
  length: "length",
  tool_calls: "tool-calls",
  function_call: "tool-calls",
  content_filter: "content-filter"
}

const sounds: Readonly<Record<string, string>> = { "audio/wav": "wav", "audio/mp3": "mp3", "audio/mpeg": "mp3" }

const filePart = ({ data, mediaType, name }: FilePart): Json => {
  if ("text" in data) return { type: "text", text: data.text }
  if (mediaType.startsWith("image/")) {
    const url = "url" in data ? data.url : `data:${mediaType};base64,${data.base64}`
    return { type: "image_url", image_url: { url } }
  }
  const format = sounds[mediaType]
  if ("url" in data) throw new Unsupported(`a file of type ${mediaType} by its address`)
  if (format !== undefined) return { type: "input_audio", input_audio: { data: data.base64, format } }
  if (mediaType !== "application/pdf") throw new Unsupported(`a file of type ${mediaType}`)
  return {
    type: "file",
    file: { filename: name ?? "document.pdf", file_data: `data:application/pdf;base64,${data.base64}` }
  }
}

const userPart = (part: TextPart | FilePart): Json =>
  part.type === "text" ? { type: "text", text: part.text } : filePart(part)

const userContent = (parts: ReadonlyArray<TextPart | FilePart>): unknown => {
  const [only] = parts
  return parts.length === 1 && only?.type === "text" ? only.text : parts.map(userPart)
}

/** Thoughts are not sent back: this protocol has no place for them. */
const assistantMessage = (parts: ReadonlyArray<AnswerPart>): Json => {
  const said = parts.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("")
  const calls = parts.flatMap((part) =>
    part.type === "call"
      ? [{ id: part.id, type: "function", function: { name: part.name, arguments: part.arguments || "{}" } }]
      : []
  )
  return {
    role: "assistant",
    content: said === "" && calls.length > 0 ? null : said,
    ...(calls.length === 0 ? {} : { tool_calls: calls })
  }
}

const resultMessage = ({ content, id, isError }: ToolResult): Json => {
  const said = content.map((part) => {
    if (part.type === "text") return part.text
    throw new Unsupported("a file as the result of a tool")
  })
  const output = said.join("\n")
  return { role: "tool", tool_call_id: id, content: isError ? JSON.stringify({ error: output }) : output }
}

const messagesOf = (message: Message): ReadonlyArray<Json> => {
  switch (message.role) {
    case "system":
      return [{ role: "system", content: message.text }]
    case "user":
      return [{ role: "user", content: userContent(message.parts) }]
    case "assistant":
      return [assistantMessage(message.parts)]
    case "tool":
      return message.results.map(resultMessage)
  }
}

/** OpenAI takes a schema as strict only if every object is closed and requires all of its properties. */
const isStrict = (schema: unknown): boolean => {
  if (Array.isArray(schema)) return schema.every(isStrict)
  if (typeof schema !== "object" || schema === null) return true
  const { additionalProperties, properties, required, type } = schema as Json
  const names = Object.keys(object(properties))
  const needed = new Set(Array.isArray(required) ? required : [])
  const isObject = type === "object" || properties !== undefined
  if (isObject && (additionalProperties !== false || names.some((name) => !needed.has(name)))) return false
  return Object.values(schema).every(isStrict)
}

const formatOf = ({ description, name = "answer", schema }: NonNullable<Conversation["format"]>): Json =>
  schema === undefined
    ? { type: "json_object" }
    : { type: "json_schema", json_schema: defined({ name, description, strict: isStrict(schema), schema }) }

const choiceOf = (choice: Conversation["toolChoice"]): unknown =>
  typeof choice === "object" ? { type: "function", function: { name: choice.name } } : choice

const write = (conversation: Conversation) => {
  const { effort, format, messages, model, tools = [], topK } = conversation
  const ignored: ReadonlyArray<Ignored> = topK === undefined ? [] : [{ setting: "topK" }]
  return {
    ignored,
    input: defined({
      model,
      messages: messages.flatMap(messagesOf),
      max_completion_tokens: conversation.maxOutputTokens,
      temperature: conversation.temperature,
      top_p: conversation.topP,
      presence_penalty: conversation.presencePenalty,
      frequency_penalty: conversation.frequencyPenalty,
      seed: conversation.seed,
      stop: conversation.stop,
      reasoning_effort: effort,
      response_format: format === undefined ? undefined : formatOf(format),
      ...(tools.length === 0
        ? {}
        : {
            tools: tools.map(({ description, name, schema, strict }) => ({
              type: "function",
              function: defined({ name, description, parameters: schema, strict })
            })),
            tool_choice: choiceOf(conversation.toolChoice)
          })
    })
  }
}

const reader: Protocol["reader"] = () => {
  /** The open text or thought. */
  let open: "text" | "reasoning" | undefined
  let blocks = 0
  let reason: string | undefined
  let usage: ReturnType<typeof usageOf> = {}
  let raw: Json | undefined
  let isBegun = false
  let called = false
  const calls = new Map<unknown, { readonly id: string; readonly name: string; written: string }>()

  const idOf = (type: "text" | "reasoning") => `${type}-${blocks}`
  const end = (): ReadonlyArray<Delta> => {
    if (open === undefined) return []
    const ended: Delta = { type: `${open}-end`, id: idOf(open) }
    open = undefined
    blocks++
    return [ended]
  }
  const say = (type: "text" | "reasoning", delta: string): ReadonlyArray<Delta> => {
    if (delta === "") return []
    const before = open === type ? [] : [...end(), { type: `${type}-start`, id: idOf(type) } as const]
    open = type
    return [...before, { type: `${type}-delta`, id: idOf(type), delta }]
  }
  const call = (given: Json, position: number): ReadonlyArray<Delta> => {
    const index = given["index"] ?? position
    const { arguments: more, name } = object(given["function"])
    const known = calls.get(index)
    const one = known ?? { id: text(given["id"]) || `call-${calls.size}`, name: text(name), written: "" }
    calls.set(index, one)
    called = true
    const delta = text(more)
    one.written += delta
    return [
      ...(known === undefined ? [...end(), { type: "tool-start", id: one.id, name: one.name } as const] : []),
      ...(delta === "" ? [] : [{ type: "tool-delta", id: one.id, delta } as const])
    ]
  }
  const closeCalls = (): ReadonlyArray<Delta> => {
    const closed = [...calls.values()].flatMap(({ id, name, written }): ReadonlyArray<Delta> => [
      { type: "tool-end", id },
      { type: "call", id, name, arguments: written || "{}" }
    ])
    calls.clear()
    return closed
  }
  return {
    next: (event) => {
      const begun: ReadonlyArray<Delta> = isBegun ? [] : [{ type: "response", ...headOf(event) }]
      isBegun = true
      usage = { ...usage, ...usageOf(event) }
      if (typeof event["usage"] === "object" && event["usage"] !== null) raw = object(event["usage"])
      const [choice = {}] = list(event["choices"]).filter(({ index = 0 }) => index === 0)
      const delta = object(choice["delta"])
      const finish = text(choice["finish_reason"])
      if (finish !== "") reason = finish
      return [
        ...begun,
        ...say("reasoning", text(delta["reasoning_content"]) || text(delta["reasoning"])),
        ...say("text", text(delta["content"]) || text(delta["refusal"])),
        ...list(delta["tool_calls"]).flatMap(call)
      ]
    },
    close: () => [...end(), ...closeCalls()],
    ending: () => {
      const finish = finishes[reason ?? ""] ?? "other"
      return {
        // Some upstreams say `stop` although they ask for tools.
        finish: called && finish === "stop" ? "tool-calls" : finish,
        reason,
        tokens: {
          input: usage.input,
          cacheRead: usage.cacheRead,
          cacheWrite: usage.cacheWrite,
          output: usage.output,
          reasoning: count(object(raw?.["completion_tokens_details"])["reasoning_tokens"]),
          raw
        }
      }
    }
  }
}

const headOf = ({ created, id, model }: Json) => {
  const seconds = count(created)
  return {
    ...(text(id) === "" ? {} : { id: text(id) }),
    ...(text(model) === "" ? {} : { model: text(model) }),
    ...(seconds === undefined ? {} : { seconds })
  }
}

/** The protocol of `chatCompletions`. */
export const chat: Protocol = {
  write,
  reader,
  eventsOf: (answer) => [
    {
      ...answer,
      choices: list(answer["choices"]).map(({ message, ...choice }) => ({ ...choice, delta: message }))
    }
  ]
}
