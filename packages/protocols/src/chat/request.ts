import type {
  AnswerPart,
  CallPart,
  Conversation,
  FilePart,
  Format,
  Message,
  ReasoningPart,
  ResultPart,
  TextPart,
  Tool,
  UserPart
} from "../Conversation.ts"
import type { WriteOptions } from "../Codec.ts"
import { dataUrl, readDataUrl } from "../dataUrl.ts"
import { readCache, readChoice, readFormat, readTools, writeSchema } from "../functions.ts"
import { defined, isMissing, type Json, object, objects, text, wordIn } from "../json.ts"
import type { Lost } from "../losses.ts"
import { effortOf, readEffort } from "../reasoning.ts"
import { type Paths, readSettings, readStop, writeSettings } from "../settings.ts"
import { readDetails } from "./details.ts"

export const settings: Paths = {
  limit: ["max_completion_tokens", "max_tokens"],
  temperature: "temperature",
  topP: "top_p",
  frequencyPenalty: "frequency_penalty",
  presencePenalty: "presence_penalty",
  seed: "seed",
  verbosity: "verbosity",
  tier: "service_tier",
  user: "user",
  metadata: "metadata",
  cacheKey: "prompt_cache_key",
  safetyIdentifier: "safety_identifier"
}

const known = new Set([
  "model",
  "messages",
  "tools",
  "tool_choice",
  "parallel_tool_calls",
  "response_format",
  "reasoning_effort",
  "stop",
  "stream",
  "stream_options",
  "n",
  // Nothing of a translated call is stored.
  "store"
])

const textPart = (value: Json): TextPart => {
  const cache = readCache(value["cache_control"])
  return { type: "text", text: text(value["text"], "text"), ...(cache === undefined ? {} : { cache }) }
}

const texts = (content: unknown, at: string): ReadonlyArray<TextPart> =>
  typeof content === "string" ? [{ type: "text", text: content }] : objects(content, at).map(([part]) => textPart(part))

const mediaTypes: Readonly<Record<string, string>> = { wav: "audio/wav", mp3: "audio/mpeg" }

const readPart = ([part, at]: readonly [Json, string]):
  | TextPart
  | FilePart
  | { type: "own"; shape: "chat"; value: Json } => {
  switch (part["type"]) {
    case "text":
      return textPart(part)
    case "image_url": {
      const { detail, url } = object(part["image_url"], `${at}.image_url`)
      return {
        type: "file",
        ...readDataUrl(text(url, `${at}.image_url.url`), "image"),
        ...(typeof detail === "string" ? { detail } : {})
      }
    }
    case "input_audio": {
      const { data, format } = object(part["input_audio"], `${at}.input_audio`)
      const mediaType = wordIn(mediaTypes, text(format, `${at}.input_audio.format`)) ?? "audio"
      return { type: "file", mediaType, source: { base64: text(data, `${at}.input_audio.data`) } }
    }
    case "file": {
      const { file_data: data, file_id: id, filename } = object(part["file"], `${at}.file`)
      const name = typeof filename === "string" ? filename : undefined
      return typeof id === "string"
        ? { type: "file", mediaType: "application", source: { id, by: "openai" }, name }
        : { type: "file", ...readDataUrl(text(data, `${at}.file.file_data`), "application/pdf"), name }
    }
    default:
      return { type: "own", shape: "chat", value: part }
  }
}

const readCall = ([call, at]: readonly [Json, string]): AnswerPart => {
  const { arguments: given, name } = object(call["function"], `${at}.function`)
  if (typeof name !== "string") return { type: "own", shape: "chat", value: call }
  return { type: "call", id: text(call["id"], `${at}.id`), name, arguments: text(given, `${at}.function.arguments`) }
}

const readAssistant = (message: Json, at: string): ReadonlyArray<AnswerPart> => {
  const { content, reasoning_content: reasoning, refusal, reasoning_details: details, tool_calls: calls } = message
  const said = texts(content, `${at}.content`).filter((part) => part.text !== "")
  const asked = objects(calls, `${at}.tool_calls`).map(readCall)
  const thought = readDetails(details, text(reasoning, `${at}.reasoning_content`), asked)
  return [
    ...thought.reasoning,
    ...said,
    ...(isMissing(refusal) ? [] : [{ type: "refusal", text: text(refusal, `${at}.refusal`) } as const]),
    ...thought.calls
  ]
}

const readMessages = (given: unknown): Pick<Conversation, "system" | "messages"> & { own: Array<string> } => {
  const system: Array<TextPart> = []
  const messages: Array<Message> = []
  const own: Array<string> = []
  /** Of the turn that is read last, if it has only these. */
  let results: Array<ResultPart> | undefined
  for (const [message, at] of objects(given, "messages")) {
    const { content, role } = message
    if (role !== "tool") results = undefined
    switch (role) {
      case "system":
      case "developer": {
        const parts = texts(content, `${at}.content`)
        if (messages.length === 0) for (const part of parts) system.push(part)
        else messages.push({ role: "system", parts })
        break
      }
      case "user":
        messages.push({
          role: "user",
          parts:
            typeof content === "string"
              ? [{ type: "text", text: content }]
              : objects(content, `${at}.content`).map(readPart)
        })
        break
      case "assistant":
        if (!isMissing(message["audio"]) || !isMissing(message["function_call"])) own.push(at)
        messages.push({ role: "assistant", parts: readAssistant(message, at) })
        break
      case "tool": {
        const id = text(message["tool_call_id"], `${at}.tool_call_id`)
        const result: ResultPart = { type: "result", id, parts: texts(content, `${at}.content`) }
        // Results of one turn belong together.
        if (results === undefined) messages.push({ role: "user", parts: (results = []) })
        results.push(result)
        break
      }
      default:
        own.push(at)
    }
  }
  return { system, messages, own }
}

export const readRequest = (body: Json): Conversation => {
  const { own: unknown, settings: values } = readSettings(body, settings, known)
  const { messages, own: ofMessages, system } = readMessages(body["messages"])
  const { own: ofTools, tools } = readTools(body["tools"], (tool, at) => object(tool["function"], `${at}.function`))
  const { own: ofChoice, toolChoice } = readChoice(body["tool_choice"], (choice) =>
    object(choice["function"], "tool_choice.function")
  )
  const { format, own: ofFormat } = readFormat(body["response_format"], "response_format", (given) =>
    object(given["json_schema"], "response_format.json_schema")
  )
  const { stop } = body
  const effort = body["reasoning_effort"]
  return {
    ...values,
    model: text(body["model"], "model"),
    system,
    messages,
    ...(tools.length === 0 ? {} : { tools }),
    ...(toolChoice === undefined ? {} : { toolChoice }),
    ...(body["parallel_tool_calls"] === false ? { isParallel: false } : {}),
    ...readStop(typeof stop === "string" ? [stop] : stop, "stop"),
    ...(format === undefined ? {} : { format }),
    ...(isMissing(effort) ? {} : { reasoning: readEffort(text(effort, "reasoning_effort")) }),
    isStream: body["stream"] === true,
    own: [
      ...unknown,
      ...ofMessages,
      ...ofTools,
      ...ofChoice,
      ...ofFormat,
      // An answer has one choice.
      ...(isMissing(body["n"]) || body["n"] === 1 ? [] : ["n"])
    ]
  }
}

const writeText = ({ cache, text }: TextPart, lost: Lost): Json => {
  if (cache !== undefined) lost.add("cache")
  return { type: "text", text }
}

/** One text is written as such. */
const writeTexts = (parts: ReadonlyArray<TextPart>, lost: Lost): unknown => {
  const written = parts.map((part) => writeText(part, lost))
  return written.length === 1 ? written[0]?.["text"] : written
}

const formats: Readonly<Record<string, string>> = { "audio/wav": "wav", "audio/mpeg": "mp3", "audio/mp3": "mp3" }

const writeFile = ({ cache, detail, mediaType, name, source }: FilePart, lost: Lost): ReadonlyArray<Json> => {
  if (cache !== undefined) lost.add("cache")
  if ("text" in source) return [{ type: "text", text: source.text }]
  if (mediaType.startsWith("image") && !("id" in source)) {
    const url = "url" in source ? source.url : dataUrl(mediaType, source.base64)
    return [{ type: "image_url", image_url: defined({ url, detail }) }]
  }
  if ("id" in source) {
    if (source.by === "openai" && !mediaType.startsWith("image"))
      return [{ type: "file", file: { file_id: source.id } }]
    lost.add("fileById")
    return []
  }
  if ("url" in source) {
    lost.add("fileByUrl")
    return []
  }
  const format = wordIn(formats, mediaType)
  if (format !== undefined) return [{ type: "input_audio", input_audio: { data: source.base64, format } }]
  if (mediaType.startsWith("audio") || mediaType.startsWith("video")) {
    lost.add(mediaType.startsWith("audio") ? "audio" : "video")
    return []
  }
  const filename = name ?? "document.pdf"
  return [{ type: "file", file: { filename, file_data: dataUrl(mediaType, source.base64) } }]
}

const writeResult = ({ cache, id, isError, parts }: ResultPart, lost: Lost): Json => {
  if (cache !== undefined) lost.add("cache")
  if (isError === true) lost.add("resultError")
  const said = parts.filter((part): part is TextPart => part.type === "text")
  if (said.length < parts.length) lost.add("fileInResult")
  return { role: "tool", tool_call_id: id, content: said.length === 0 ? "" : writeTexts(said, lost) }
}

const writeUser = (parts: ReadonlyArray<UserPart>, lost: Lost): ReadonlyArray<Json> => {
  const messages: Array<Json> = []
  let content: Array<Json> = []
  const say = () => {
    const [only] = content
    if (only !== undefined) {
      messages.push({ role: "user", content: content.length === 1 && only["type"] === "text" ? only["text"] : content })
    }
    content = []
  }
  for (const part of parts) {
    if (part.type === "text") content.push(writeText(part, lost))
    else if (part.type === "file") content.push(...writeFile(part, lost))
    else if (part.type === "own") lost.addOwn(part.value["type"])
    else {
      say()
      messages.push(writeResult(part, lost))
    }
  }
  say()
  return messages
}

const writeCall = ({ arguments: given, cache, id, name }: CallPart, lost: Lost): Json => {
  if (cache !== undefined) lost.add("cache")
  return { id, type: "function", function: { name, arguments: given === "" ? "{}" : given } }
}

const writeAssistant = (parts: ReadonlyArray<AnswerPart>, lost: Lost): Json => {
  const said: Array<TextPart> = []
  const calls: Array<CallPart> = []
  const thought: Array<ReasoningPart> = []
  let refusal: string | undefined
  for (const part of parts) {
    if (part.type === "text") said.push(part)
    else if (part.type === "call") calls.push(part)
    else if (part.type === "refusal") refusal = (refusal ?? "") + part.text
    else if (part.type === "reasoning") thought.push(part)
    else lost.addOwn(part.value["type"])
  }
  // An upstream of this protocol checks no signatures, and would take none.
  if (thought.some(({ sealed }) => sealed !== undefined) || calls.some(({ sealed }) => sealed !== undefined)) {
    lost.add("sealed")
  }
  const reasoning = thought.map((part) => part.text).join("")
  return defined({
    role: "assistant",
    content: said.length > 0 ? writeTexts(said, lost) : calls.length > 0 ? null : "",
    refusal,
    reasoning_content: reasoning === "" ? undefined : reasoning,
    tool_calls: calls.length === 0 ? undefined : calls.map((call) => writeCall(call, lost))
  })
}

const writeMessages = ({ messages, system }: Conversation, lost: Lost): ReadonlyArray<Json> => {
  if (messages.at(-1)?.role === "assistant") lost.add("prefill")
  return [
    ...(system.length === 0 ? [] : [{ role: "system", content: writeTexts(system, lost) }]),
    ...messages.flatMap((message) => {
      if (message.role === "user") return writeUser(message.parts, lost)
      if (message.role === "assistant") return [writeAssistant(message.parts, lost)]
      return [{ role: "system", content: writeTexts(message.parts, lost) }]
    })
  ]
}

const writeTool = ({ cache, description, name, parameters, strict }: Tool, lost: Lost): Json => {
  if (cache !== undefined) lost.add("cache")
  return { type: "function", function: defined({ name, description, parameters, strict }) }
}

const writeFormat = (format: Format): Json =>
  format.type === "json" ? { type: "json_object" } : { type: "json_schema", json_schema: writeSchema(format) }

/** Writes the body of a chat completion. Its stream ends with a report of the usage. */
export const writeRequest = (conversation: Conversation, lost: Lost, _: WriteOptions): Json => {
  const { format, isParallel, isStream, model, own, reasoning, stop, toolChoice, tools = [] } = conversation
  for (const field of own) lost.addOwn(field)
  const body: Record<string, unknown> = { model, messages: writeMessages(conversation, lost) }
  writeSettings(body, conversation, settings, lost)
  if (stop !== undefined) body["stop"] = stop
  if (tools.length > 0) body["tools"] = tools.map((tool) => writeTool(tool, lost))
  if (toolChoice !== undefined) {
    body["tool_choice"] =
      typeof toolChoice === "string" ? toolChoice : { type: "function", function: { name: toolChoice.name } }
  }
  if (isParallel === false) body["parallel_tool_calls"] = false
  if (format !== undefined) body["response_format"] = writeFormat(format)
  const effort = reasoning && effortOf(reasoning)
  if (effort !== undefined) body["reasoning_effort"] = effort
  if (isStream) Object.assign(body, { stream: true, stream_options: { include_usage: true } })
  return body
}
