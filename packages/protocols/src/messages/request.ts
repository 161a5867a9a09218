import type { WriteOptions } from "../Codec.ts"
import type {
  AnswerPart,
  Conversation,
  FilePart,
  Format,
  Message,
  OwnPart,
  Reasoning,
  ResultPart,
  Sealed,
  Settings,
  Source,
  TextPart,
  Tool,
  UserPart
} from "../Conversation.ts"
import { shown, stringify } from "../exact.ts"
import { defined, isMissing, isObject, type Json, Malformed, object, objects, text } from "../json.ts"
import type { Lost } from "../losses.ts"
import { writeEffort } from "../reasoning.ts"
import { readCallSeal, readRedacted, readSealed } from "../sealed.ts"
import { cooled, type Paths, readSettings, readStop, writeSettings } from "../settings.ts"
import { inputOf, turnsOf } from "../turns.ts"
import { writeThinking } from "./thinking.ts"

export const settings: Paths = {
  limit: "max_tokens",
  temperature: "temperature",
  topP: "top_p",
  topK: "top_k",
  tier: "service_tier",
  user: "metadata.user_id"
}

const known = new Set([
  "model",
  "messages",
  "system",
  "tools",
  "tool_choice",
  "stop_sequences",
  "thinking",
  "output_config.effort",
  "output_config.format",
  "output_format",
  "stream",
  // Where the prompt is kept by itself, which others do anyway.
  "cache_control"
])

type Cached = { readonly cache?: Json }

const cacheOf = (value: Json): Cached => (isObject(value["cache_control"]) ? { cache: value["cache_control"] } : {})

const ownPart = (value: Json): OwnPart => ({ type: "own", shape: "messages", value })

const textPart = (value: Json, at: string): TextPart => ({
  type: "text",
  text: text(value["text"], `${at}.text`),
  ...cacheOf(value)
})

const texts = (content: unknown, at: string): ReadonlyArray<TextPart> =>
  typeof content === "string"
    ? content === ""
      ? []
      : [{ type: "text", text: content }]
    : objects(content, at).map(([part, at]) => textPart(part, at))

const sourceOf = (source: Json, at: string): Source | undefined => {
  switch (source["type"]) {
    case "base64":
      return { base64: text(source["data"], `${at}.data`) }
    case "url":
      return { url: text(source["url"], `${at}.url`) }
    case "text":
      return { text: text(source["data"], `${at}.data`) }
    case "file":
      return { id: text(source["file_id"], `${at}.file_id`), by: "anthropic" }
    default:
      return undefined
  }
}

const readFile = (part: Json, at: string): FilePart | OwnPart => {
  const isImage = part["type"] === "image"
  const given = object(part["source"], `${at}.source`)
  const source = sourceOf(given, `${at}.source`)
  if (source === undefined) return ownPart(part)
  const { citations, context, title } = part
  if (!isMissing(context) || (isObject(citations) && citations["enabled"] === true)) return ownPart(part)
  const mediaType = given["media_type"]
  return {
    type: "file",
    // What an address leads to, only the address says.
    mediaType: typeof mediaType === "string" && !("url" in source) ? mediaType : isImage ? "image" : "application/pdf",
    source,
    ...(typeof title === "string" ? { name: title } : {}),
    ...cacheOf(part)
  }
}

const readResult = (part: Json, at: string): ResultPart => {
  const { content } = part
  const parts =
    typeof content === "string"
      ? [{ type: "text", text: content } as const]
      : objects(content, `${at}.content`).map(([inner, at]) => readSimple(inner, at))
  return {
    type: "result",
    id: text(part["tool_use_id"], `${at}.tool_use_id`),
    parts,
    ...(part["is_error"] === true ? { isError: true } : {}),
    ...cacheOf(part)
  }
}

const readSimple = (part: Json, at: string): TextPart | FilePart | OwnPart => {
  if (part["type"] === "text") return textPart(part, at)
  return part["type"] === "image" || part["type"] === "document" ? readFile(part, at) : ownPart(part)
}

const readUser = (content: unknown, at: string): ReadonlyArray<UserPart> =>
  typeof content === "string"
    ? [{ type: "text", text: content }]
    : objects(content, at).map(([part, at]) =>
        part["type"] === "tool_result" ? readResult(part, at) : readSimple(part, at)
      )

/** Reads the blocks of a turn, or of an answer. */
export const readAssistant = (content: unknown, at: string): ReadonlyArray<AnswerPart> => {
  if (typeof content === "string") return content === "" ? [] : [{ type: "text", text: content }]
  let ofCall: Sealed | undefined
  return objects(content, at).flatMap(([part, at]): ReadonlyArray<AnswerPart> => {
    switch (part["type"]) {
      case "text":
        return [textPart(part, at)]
      case "thinking": {
        const signature = text(part["signature"], `${at}.signature`)
        const sealed = signature === "" ? undefined : readSealed(signature, "anthropic")
        return [{ type: "reasoning", text: text(part["thinking"], `${at}.thinking`), sealed }]
      }
      case "redacted_thinking": {
        const data = text(part["data"], `${at}.data`)
        ofCall = readCallSeal(data, "anthropic")
        return ofCall ? [] : [{ type: "reasoning", text: "", sealed: readRedacted(data, "anthropic") }]
      }
      case "tool_use": {
        const sealed = ofCall
        ofCall = undefined
        return [
          {
            type: "call",
            id: text(part["id"], `${at}.id`),
            name: text(part["name"], `${at}.name`),
            arguments: stringify(part["input"] ?? {}),
            ...(sealed === undefined ? {} : { sealed }),
            ...cacheOf(part)
          }
        ]
      }
      default:
        return [ownPart(part)]
    }
  })
}

const readMessages = (given: unknown): { readonly messages: ReadonlyArray<Message>; readonly own: Array<string> } => {
  const messages: Array<Message> = []
  const own: Array<string> = []
  for (const [message, at] of objects(given, "messages")) {
    const { content, role } = message
    if (role === "user") messages.push({ role, parts: readUser(content, `${at}.content`) })
    else if (role === "assistant") messages.push({ role, parts: readAssistant(content, `${at}.content`) })
    else if (role === "system") messages.push({ role, parts: texts(content, `${at}.content`) })
    else own.push(at)
  }
  return { messages, own }
}

const readTools = (given: unknown): { readonly tools: ReadonlyArray<Tool>; readonly own: ReadonlyArray<string> } => {
  const tools: Array<Tool> = []
  const own: Array<string> = []
  for (const [tool, at] of objects(given, "tools")) {
    const { description, name, strict, type = "custom" } = tool
    if (type !== "custom" || typeof name !== "string") own.push(at)
    else {
      tools.push({
        name,
        description: typeof description === "string" ? description : undefined,
        parameters: object(tool["input_schema"], `${at}.input_schema`),
        strict: strict === true ? true : undefined,
        ...cacheOf(tool)
      })
    }
  }
  return { tools, own }
}

const readChoice = (given: unknown): Pick<Conversation, "toolChoice" | "isParallel"> => {
  const { disable_parallel_tool_use: isSingle, name, type } = object(given, "tool_choice")
  const parallel = isSingle === true ? { isParallel: false } : {}
  if (type === "any") return { toolChoice: "required", ...parallel }
  if (type === "auto" || type === "none") return { toolChoice: type, ...parallel }
  return type === "tool" ? { toolChoice: { name: text(name, "tool_choice.name") }, ...parallel } : {}
}

const readReasoning = (body: Json): Reasoning | undefined => {
  const { budget_tokens: budget, display, type } = object(body["thinking"], "thinking")
  const { effort: given } = object(body["output_config"], "output_config")
  const effort = typeof given === "string" ? { effort: given } : {}
  const shown = display === "omitted" ? {} : { isShown: true }
  if (type === "disabled") return { isOff: true, ...effort }
  if (type === "adaptive") return { isAdaptive: true, ...shown, ...effort }
  if (typeof budget === "number") return { budget, ...shown, ...effort }
  return typeof given === "string" ? effort : undefined
}

const readFormat = (body: Json): { readonly format?: Format; readonly own: ReadonlyArray<string> } => {
  const given = object(body["output_config"], "output_config")["format"] ?? body["output_format"]
  if (isMissing(given)) return { own: [] }
  const { schema, type } = object(given, "output_config.format")
  return type === "json_schema" && isObject(schema)
    ? { format: { type: "schema", schema }, own: [] }
    : { own: ["output_config.format"] }
}

export const readRequest = (body: Json): Conversation => {
  const { own: unknown, settings: values } = readSettings(body, settings, known)
  const { messages, own: ofMessages } = readMessages(body["messages"])
  const { own: ofTools, tools } = readTools(body["tools"])
  const { format, own: ofFormat } = readFormat(body)
  const reasoning = readReasoning(body)
  // Others take 0 for no limit at all. It may be written as 0.0.
  if (Number(shown(String(values.limit))) === 0) throw new Malformed("max_tokens", "at least 1")
  return {
    ...values,
    model: text(body["model"], "model"),
    system: texts(body["system"], "system"),
    messages,
    ...(tools.length === 0 ? {} : { tools }),
    ...readChoice(body["tool_choice"]),
    ...readStop(body["stop_sequences"], "stop_sequences"),
    ...(format === undefined ? {} : { format }),
    ...(reasoning === undefined ? {} : { reasoning }),
    isStream: body["stream"] === true,
    own: [...unknown, ...ofMessages, ...ofTools, ...ofFormat]
  }
}

const cached = ({ cache }: Cached): Json => (cache === undefined ? {} : { cache_control: cache })

/** Anthropic refuses a text without anything in it. */
const writeText = (part: TextPart): ReadonlyArray<Json> =>
  part.text === "" ? [] : [{ type: "text", text: part.text, ...cached(part) }]

/** One text is written as such. */
const writeContent = (content: ReadonlyArray<Json>): unknown => {
  const [only] = content
  const isText = content.length === 1 && only?.["type"] === "text" && only["cache_control"] === undefined
  return isText ? only["text"] : content
}

const writeSource = (mediaType: string, source: Source): Json | undefined => {
  if ("base64" in source) return { type: "base64", media_type: mediaType, data: source.base64 }
  if ("url" in source) return { type: "url", url: source.url }
  if ("text" in source) return { type: "text", media_type: "text/plain", data: source.text }
  return source.by === "anthropic" ? { type: "file", file_id: source.id } : undefined
}

const writeFile = (part: FilePart, lost: Lost): ReadonlyArray<Json> => {
  const { mediaType, name, source } = part
  if (mediaType.startsWith("audio") || mediaType.startsWith("video")) {
    lost.add(mediaType.startsWith("audio") ? "audio" : "video")
    return []
  }
  const written = writeSource(mediaType, source)
  if (written === undefined) {
    lost.add("fileById")
    return []
  }
  if (mediaType.startsWith("image")) return [{ type: "image", source: written, ...cached(part) }]
  return [defined({ type: "document", source: written, title: name, ...cached(part) })]
}

const writeResult = (part: ResultPart, lost: Lost): Json => ({
  type: "tool_result",
  tool_use_id: part.id,
  content: writeContent(part.parts.flatMap((inner) => writeSimple(inner, lost))),
  ...(part.isError === true ? { is_error: true } : {}),
  ...cached(part)
})

const writeSimple = (part: TextPart | FilePart | OwnPart, lost: Lost): ReadonlyArray<Json> => {
  if (part.type === "text") return writeText(part)
  if (part.type === "file") return writeFile(part, lost)
  lost.addOwn(part.value["type"])
  return []
}

const writeAnswered = (part: AnswerPart, lost: Lost): ReadonlyArray<Json> => {
  switch (part.type) {
    case "text":
      return writeText(part)
    case "refusal":
      return part.text === "" ? [] : [{ type: "text", text: part.text }]
    case "call":
      if (part.sealed !== undefined) lost.add("sealed")
      return [{ type: "tool_use", id: part.id, name: part.name, input: inputOf(part.arguments), ...cached(part) }]
    case "reasoning": {
      const { sealed, text } = part
      if (sealed?.by === "anthropic") return [writeThinking(text, sealed)]
      // Anthropic takes no thinking without its own signature. Text alone tells the model nothing that it needs.
      if (sealed !== undefined) lost.add("sealed")
      return []
    }
    case "own":
      lost.addOwn(part.value["type"])
      return []
  }
}

const writeMessages = ({ messages }: Conversation, lost: Lost): ReadonlyArray<Json> =>
  turnsOf(messages, lost).flatMap((turn) => {
    const content =
      turn.role === "user"
        ? turn.parts.flatMap((part) => (part.type === "result" ? [writeResult(part, lost)] : writeSimple(part, lost)))
        : turn.parts.flatMap((part) => writeAnswered(part, lost))
    return content.length === 0 ? [] : [{ role: turn.role, content: writeContent(content) }]
  })

const writeTool = (tool: Tool): Json =>
  defined({
    name: tool.name,
    description: tool.description,
    input_schema: { type: "object", ...tool.parameters },
    strict: tool.strict,
    ...(tool.cache === undefined ? {} : { cache_control: tool.cache })
  })

const choices = { auto: "auto", none: "none", required: "any" } as const

const writeChoice = ({ isParallel, toolChoice, tools }: Conversation): Json | undefined => {
  if (tools === undefined) return undefined
  const single = isParallel === false && toolChoice !== "none" ? { disable_parallel_tool_use: true } : {}
  if (typeof toolChoice === "object") return { type: "tool", name: toolChoice.name, ...single }
  if (toolChoice !== undefined) return { type: choices[toolChoice], ...single }
  return isParallel === false ? { type: "auto", ...single } : undefined
}

const thinkingOf = ({ budget, effort, isAdaptive, isOff, isShown }: Reasoning): Json | undefined => {
  if (isOff === true) return { type: "disabled" }
  const display = isShown === true ? { display: "summarized" } : {}
  if (budget !== undefined) return { type: "enabled", budget_tokens: budget, ...display }
  return isAdaptive === true || effort !== undefined ? { type: "adaptive", ...display } : undefined
}

/** With thinking Anthropic takes no `top_k`, and no temperature but 1. */
const settingsBeside = (thinking: Json | undefined, settings: Settings, lost: Lost): Settings => {
  const { temperature, topK, ...rest } = settings
  if (thinking === undefined || thinking["type"] === "disabled") return cooled(settings, lost)
  const isUsual = Number(stringify(temperature ?? 1)) === 1
  if (!isUsual) lost.add("reasoningTemperature")
  if (topK !== undefined) lost.add("topK")
  return isUsual && temperature !== undefined ? { ...rest, temperature } : rest
}

export const writeRequest = (conversation: Conversation, lost: Lost, { limit }: WriteOptions): Json => {
  const { format, isStream, model, own, reasoning, stop, system, tools } = conversation
  for (const field of own) lost.addOwn(field)
  const body: Record<string, unknown> = { model, max_tokens: limit }
  if (system.length > 0) body["system"] = system.flatMap(writeText)
  body["messages"] = writeMessages(conversation, lost)
  const thinking = reasoning && thinkingOf(reasoning)
  writeSettings(body, settingsBeside(thinking, conversation, lost), settings, lost)
  if (tools !== undefined) body["tools"] = tools.map(writeTool)
  const choice = writeChoice(conversation)
  if (choice !== undefined) body["tool_choice"] = choice
  if (stop !== undefined) body["stop_sequences"] = stop
  if (thinking !== undefined) body["thinking"] = thinking
  if (format?.type === "json") lost.add("jsonFormat")
  const output = defined({
    effort: reasoning && writeEffort(reasoning.effort),
    format: format?.type === "schema" ? { type: "json_schema", schema: format.schema } : undefined
  })
  if (Object.keys(output).length > 0) body["output_config"] = output
  if (isStream) body["stream"] = true
  return body
}
