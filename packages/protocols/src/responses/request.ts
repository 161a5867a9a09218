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
  TextPart,
  UserPart
} from "../Conversation.ts"
import { dataUrl, readDataUrl } from "../dataUrl.ts"
import { readChoice, readFormat, readTools, writeSchema } from "../functions.ts"
import { defined, isMissing, isObject, type Json, list, object, objects, text } from "../json.ts"
import type { Lost } from "../losses.ts"
import { effortOf, readEffort } from "../reasoning.ts"
import { readCallSeal } from "../sealed.ts"
import { type Paths, readSettings, writeSettings } from "../settings.ts"
import { readReasoning, writeReasoning } from "./items.ts"

export const settings: Paths = {
  limit: "max_output_tokens",
  temperature: "temperature",
  topP: "top_p",
  verbosity: "text.verbosity",
  tier: "service_tier",
  user: "user",
  metadata: "metadata",
  cacheKey: "prompt_cache_key",
  safetyIdentifier: "safety_identifier"
}

const known = new Set([
  "model",
  "input",
  "instructions",
  "tools",
  "tool_choice",
  "parallel_tool_calls",
  "text.format",
  "reasoning.effort",
  "reasoning.summary",
  "include",
  "truncation",
  "background",
  "stream",
  "stream_options",
  // Nothing of a translated call is stored upstream.
  "store"
])

const encrypted = "reasoning.encrypted_content"

/** What is said of a function stands in the tool itself. */
const same = (value: Json): Json => value

const ownPart = (value: Json): OwnPart => ({ type: "own", shape: "responses", value })

const readFile = (part: Json, at: string): FilePart => {
  const { detail, file_data: data, file_id: id, file_url: url, filename, image_url: image } = part
  const isImage = part["type"] === "input_image"
  return {
    type: "file",
    ...(typeof id === "string"
      ? { mediaType: isImage ? "image" : "application", source: { id, by: "openai" } as const }
      : readDataUrl(text(isImage ? image : (url ?? data), at), isImage ? "image" : "application/pdf")),
    ...(typeof filename === "string" ? { name: filename } : {}),
    ...(typeof detail === "string" ? { detail } : {})
  }
}

const readPart = ([part, at]: readonly [Json, string]): TextPart | FilePart | OwnPart => {
  switch (part["type"]) {
    case "input_text":
    case "output_text":
      return { type: "text", text: text(part["text"], `${at}.text`) }
    case "input_image":
    case "input_file":
      return readFile(part, at)
    default:
      return ownPart(part)
  }
}

const readParts = (content: unknown, at: string): ReadonlyArray<TextPart | FilePart | OwnPart> =>
  typeof content === "string" ? [{ type: "text", text: content }] : objects(content, at).map(readPart)

const readSaid = (content: unknown, at: string): ReadonlyArray<AnswerPart> => {
  if (typeof content === "string") return content === "" ? [] : [{ type: "text", text: content }]
  return objects(content, at).flatMap(([part, at]): ReadonlyArray<AnswerPart> => {
    if (part["type"] === "refusal") return [{ type: "refusal", text: text(part["refusal"], `${at}.refusal`) }]
    const said = readPart([part, at])
    if (said.type !== "text") return [ownPart(part)]
    return said.text === "" ? [] : [said]
  })
}

type Input = Pick<Conversation, "system" | "messages"> & { readonly own: ReadonlyArray<string> }

/** Reads the items of a conversation, or of an answer. */
export const readItems = (instructions: string, given: unknown, within: string): Input => {
  const system: Array<TextPart> = instructions === "" ? [] : [{ type: "text", text: instructions }]
  const messages: Array<Message> = []
  const own: Array<string> = []
  // Items of one turn belong together, and results of one turn.
  let turn: Array<AnswerPart> | undefined
  let results: Array<ResultPart> | undefined
  let ofCall: Sealed | undefined
  const add = (message: Message): void => {
    turn = undefined
    results = undefined
    ofCall = undefined
    messages.push(message)
  }
  const turnOf = (): Array<AnswerPart> => {
    const begun = turn ?? []
    if (turn === undefined) add({ role: "assistant", parts: begun })
    turn = begun
    return begun
  }
  const readMessage = (item: Json, at: string): void => {
    const { content, role } = item
    if (role === "user") add({ role, parts: readParts(content, `${at}.content`) })
    else if (role === "assistant") {
      for (const part of readSaid(content, `${at}.content`)) turnOf().push(part)
    } else if (role === "system" || role === "developer") {
      const all = readParts(content, `${at}.content`)
      const parts = all.filter((part) => part.type === "text")
      if (parts.length < all.length) own.push(`${at}.content`)
      if (messages.length === 0) for (const part of parts) system.push(part)
      else if (parts.length > 0) add({ role: "system", parts })
    } else own.push(at)
  }
  for (const [item, at] of objects(given, within)) {
    switch (item["type"] ?? (isMissing(item["role"]) ? "item_reference" : "message")) {
      case "message":
        readMessage(item, at)
        break
      case "reasoning": {
        const part = readReasoning(item)
        if (part.text === "" && part.sealed === undefined) break
        const parts = turnOf()
        ofCall = readCallSeal(item["encrypted_content"], "openai")
        if (ofCall === undefined) parts.push(part)
        break
      }
      case "function_call":
        turnOf().push({
          type: "call",
          id: text(item["call_id"], `${at}.call_id`),
          name: text(item["name"], `${at}.name`),
          arguments: text(item["arguments"], `${at}.arguments`),
          ...(ofCall === undefined ? {} : { sealed: ofCall })
        })
        ofCall = undefined
        break
      case "function_call_output": {
        const id = text(item["call_id"], `${at}.call_id`)
        const begun: Array<ResultPart> = results ?? []
        if (results === undefined) add({ role: "user", parts: begun })
        results = begun
        begun.push({ type: "result", id, parts: readParts(item["output"], `${at}.output`) })
        break
      }
      default:
        own.push(at)
    }
  }
  return { system, messages, own }
}

const readHow = (body: Json): Reasoning | undefined => {
  const { effort, summary } = isObject(body["reasoning"]) ? body["reasoning"] : {}
  if (isMissing(effort) && isMissing(summary)) return undefined
  return {
    ...(isMissing(effort) ? {} : readEffort(text(effort, "reasoning.effort"))),
    ...(isMissing(summary) ? {} : { isShown: true })
  }
}

/** Fields that are read, with values that only this protocol has. */
const ownValues = ({ background, include, truncation }: Json): ReadonlyArray<string> => [
  ...(list(include, "include").every((each) => each === encrypted) ? [] : ["include"]),
  ...(isMissing(truncation) || truncation === "disabled" ? [] : ["truncation"]),
  ...(isMissing(background) || background === false ? [] : ["background"])
]

export const readRequest = (body: Json): Conversation => {
  const { own: unknown, settings: values } = readSettings(body, settings, known)
  const { input, instructions } = body
  const items = typeof input === "string" ? [{ role: "user", content: input }] : input
  const { messages, own: ofItems, system } = readItems(text(instructions, "instructions"), items, "input")
  // OpenAI makes a tool strict by default if its schema allows it. Others refuse one that does not.
  const { own: ofTools, tools } = readTools(body["tools"], same)
  const { own: ofChoice, toolChoice } = readChoice(body["tool_choice"], same)
  const format = readFormat(isObject(body["text"]) ? body["text"]["format"] : undefined, "text.format", same)
  const reasoning = readHow(body)
  return {
    ...values,
    model: text(body["model"], "model"),
    system,
    messages,
    ...(tools.length === 0 ? {} : { tools }),
    ...(toolChoice === undefined ? {} : { toolChoice }),
    ...(body["parallel_tool_calls"] === false ? { isParallel: false } : {}),
    ...(format.format === undefined ? {} : { format: format.format }),
    ...(reasoning === undefined ? {} : { reasoning }),
    isStream: body["stream"] === true,
    own: [...unknown, ...ofItems, ...ofTools, ...ofChoice, ...format.own, ...ownValues(body)]
  }
}

const loseCache = ({ cache }: { readonly cache?: unknown }, lost: Lost): void => {
  if (cache !== undefined) lost.add("cache")
}

const writeFile = ({ detail, mediaType, name, source }: FilePart, lost: Lost): ReadonlyArray<Json> => {
  const kind = mediaType.split("/", 1)[0]
  if (kind === "audio" || kind === "video") lost.add(kind)
  else if ("text" in source) return [{ type: "input_text", text: source.text }]
  else if ("id" in source && source.by !== "openai") lost.add("fileById")
  else if (kind === "image") {
    const image =
      "id" in source
        ? { file_id: source.id }
        : { image_url: "url" in source ? source.url : dataUrl(mediaType, source.base64) }
    return [defined({ type: "input_image", ...image, detail })]
  } else if ("id" in source) return [{ type: "input_file", file_id: source.id }]
  else if ("url" in source) return [{ type: "input_file", file_url: source.url }]
  else {
    const filename = name ?? "document.pdf"
    return [{ type: "input_file", filename, file_data: dataUrl(mediaType, source.base64) }]
  }
  return []
}

const writePart = (part: TextPart | FilePart | OwnPart, lost: Lost): ReadonlyArray<Json> => {
  if (part.type === "own") {
    lost.addOwn(part.value["type"])
    return []
  }
  loseCache(part, lost)
  return part.type === "file" ? writeFile(part, lost) : [{ type: "input_text", text: part.text }]
}

/** One text is written as such. */
const writeContent = (parts: ReadonlyArray<TextPart | FilePart | OwnPart>, lost: Lost): unknown => {
  const written = parts.flatMap((part) => writePart(part, lost))
  const [only] = written
  return written.length === 1 && only?.["type"] === "input_text" ? only["text"] : written
}

const writeResult = (part: ResultPart, lost: Lost): Json => {
  loseCache(part, lost)
  if (part.isError === true) lost.add("resultError")
  return { type: "function_call_output", call_id: part.id, output: writeContent(part.parts, lost) }
}

const writeUser = (parts: ReadonlyArray<UserPart>, lost: Lost): ReadonlyArray<Json> => {
  const items: Array<Json> = []
  let said: Array<Exclude<UserPart, ResultPart>> = []
  const say = (): void => {
    const content = writeContent(said, lost)
    if (!Array.isArray(content) || content.length > 0) items.push({ role: "user", content })
    said = []
  }
  for (const part of parts) {
    if (part.type !== "result") said.push(part)
    else {
      say()
      items.push(writeResult(part, lost))
    }
  }
  say()
  return items
}

const writeTurn = (parts: ReadonlyArray<AnswerPart>, lost: Lost): ReadonlyArray<Json> => {
  const items: Array<Json> = []
  let content: Array<Json> | undefined
  const say = (part: Json): void => {
    if (content === undefined) items.push({ role: "assistant", content: (content = []) })
    content.push(part)
  }
  for (const part of parts) {
    if (part.type === "text") {
      loseCache(part, lost)
      if (part.text !== "") say({ type: "output_text", text: part.text })
    } else if (part.type === "refusal") say({ type: "refusal", refusal: part.text })
    else if (part.type === "own") lost.addOwn(part.value["type"])
    else {
      content = undefined
      const isSealed = part.sealed !== undefined
      const isOpenai = part.type === "reasoning" && part.sealed?.by === "openai"
      if (isSealed && !isOpenai) lost.add("sealed")
      // OpenAI goes on only from what it has encrypted. Text alone tells the model nothing that it needs.
      if (isOpenai) items.push(writeReasoning(part))
      if (part.type === "call") {
        loseCache(part, lost)
        const { id, name } = part
        items.push({ type: "function_call", call_id: id, name, arguments: part.arguments || "{}" })
      }
    }
  }
  return items
}

/** One text is written as `instructions`. */
const writeInput = ({ messages, system }: Conversation, lost: Lost): Json => {
  if (messages.at(-1)?.role === "assistant") lost.add("prefill")
  const first = writeContent(system, lost)
  const isText = typeof first === "string"
  const input = messages.flatMap((message): ReadonlyArray<Json> => {
    if (message.role === "user") return writeUser(message.parts, lost)
    if (message.role === "assistant") return writeTurn(message.parts, lost)
    return [{ role: "system", content: writeContent(message.parts, lost) }]
  })
  return {
    ...(isText && first !== "" ? { instructions: first } : {}),
    input: isText || system.length === 0 ? input : [{ role: "system", content: first }, ...input]
  }
}

const writeFormat = (format: Format): Json =>
  format.type === "json" ? { type: "json_object" } : { type: "json_schema", ...writeSchema(format) }

const writeHow = (reasoning: Reasoning): Json =>
  defined({
    effort: effortOf(reasoning),
    summary: reasoning.isShown === true && reasoning.isOff !== true ? "auto" : undefined
  })

const hasReasoning = ({ messages, reasoning }: Conversation): boolean =>
  (reasoning !== undefined && reasoning.isOff !== true) ||
  messages.some(({ parts, role }) => role === "assistant" && parts.some(({ type }) => type === "reasoning"))

/** Writes the body of a response. Upstream nothing is stored, so what the model thought comes back encrypted. */
export const writeRequest = (conversation: Conversation, lost: Lost, _: WriteOptions): Json => {
  const { format, isParallel, isStream, model, own, reasoning, stop, toolChoice, tools = [] } = conversation
  for (const field of own) lost.addOwn(field)
  if (stop !== undefined) lost.add("stop")
  const body: Record<string, unknown> = { model, ...writeInput(conversation, lost) }
  writeSettings(body, conversation, settings, lost)
  if (tools.length > 0) {
    body["tools"] = tools.map(({ cache, description, name, parameters = null, strict = false }) => {
      loseCache({ cache }, lost)
      return defined({ type: "function", name, description, parameters, strict })
    })
  }
  if (toolChoice !== undefined) {
    body["tool_choice"] = typeof toolChoice === "string" ? toolChoice : { type: "function", name: toolChoice.name }
  }
  if (isParallel === false) body["parallel_tool_calls"] = false
  if (format !== undefined) body["text"] = { ...object(body["text"], "text"), format: writeFormat(format) }
  const how = reasoning === undefined ? {} : writeHow(reasoning)
  if (Object.keys(how).length > 0) body["reasoning"] = how
  if (hasReasoning(conversation)) body["include"] = [encrypted]
  body["store"] = false
  if (isStream) body["stream"] = true
  return body
}
