import type { WriteOptions } from "../Codec.ts"
import type {
  AnswerPart,
  Conversation,
  FilePart,
  Format,
  Message,
  Reasoning,
  ResultPart,
  Sealed,
  TextPart,
  Tool,
  UserPart
} from "../Conversation.ts"
import { parseObject, stringify } from "../exact.ts"
import { defined, isMissing, isObject, type Json, list, Malformed, object, objects, text, wordIn } from "../json.ts"
import type { Lost } from "../losses.ts"
import { type Paths, readSettings, readStop, writeSettings } from "../settings.ts"
import { inputOf, turnsOf } from "../turns.ts"
import { camel } from "./names.ts"
import { ownPart, readAnswered, writeAnswered } from "./parts.ts"
import { readSchema } from "./schema.ts"
import { notSigned } from "./sealed.ts"

export const settings: Paths = {
  limit: "generationConfig.maxOutputTokens",
  temperature: "generationConfig.temperature",
  topP: "generationConfig.topP",
  topK: "generationConfig.topK",
  frequencyPenalty: "generationConfig.frequencyPenalty",
  presencePenalty: "generationConfig.presencePenalty",
  seed: "generationConfig.seed",
  tier: "serviceTier"
}

const known = new Set([
  "model",
  "contents",
  "systemInstruction",
  "tools",
  "toolConfig.functionCallingConfig",
  "safetySettings",
  "generationConfig.stopSequences",
  "generationConfig.candidateCount",
  "generationConfig.responseModalities",
  "generationConfig.responseMimeType",
  "generationConfig.responseSchema",
  "generationConfig.responseJsonSchema",
  "generationConfig.thinkingConfig",
  "stream"
])

/** Google takes one item for a list of it. */
const items = (value: unknown, at: string): ReadonlyArray<readonly [item: Json, at: string]> =>
  objects(isObject(value) ? [value] : value, at).map(([item, at]) => [camel(item, at), at])

const fields = (value: unknown, at: string): Json => camel(object(value, at), at)

/** Google's calls need no ids: results are told apart by the names of their calls, in order. */
class Calls {
  readonly #waiting = new Set<string>()
  readonly #byName = new Map<string, { readonly ids: Array<string>; next: number }>()
  #count = 0

  readonly add = (name: string, given: unknown): string => {
    const made = `call_${this.#count++}`
    const id = typeof given === "string" && given !== "" ? given : made
    this.#waiting.add(id)
    const named = this.#byName.get(name)
    if (named === undefined) this.#byName.set(name, { ids: [id], next: 0 })
    else named.ids.push(id)
    return id
  }

  /** The id of the call that a result answers. */
  answer(name: string, given: unknown): string | undefined {
    if (typeof given === "string" && this.#waiting.delete(given)) return given
    const named = this.#byName.get(name)
    while (named !== undefined && named.next < named.ids.length) {
      const id = named.ids[named.next++]
      if (id !== undefined && this.#waiting.delete(id)) return id
    }
    return undefined
  }
}

// Files that only Google has.
const ownFile = /^gs:\/\/|^https:\/\/generativelanguage\.googleapis\.com\//

const readFile = (part: Json, at: string): FilePart | undefined => {
  const isInline = isObject(part["inlineData"])
  if (!isInline && !isObject(part["fileData"])) return undefined
  const { data, displayName, fileUri, mimeType } = fields(part["inlineData"] ?? part["fileData"], at)
  const uri = text(fileUri, `${at}.fileData.fileUri`)
  return {
    type: "file",
    mediaType: text(mimeType, `${at}.mimeType`) || "application",
    source: isInline
      ? { base64: text(data, `${at}.inlineData.data`) }
      : ownFile.test(uri)
        ? { id: uri, by: "google" }
        : { url: uri },
    ...(typeof displayName === "string" ? { name: displayName } : {})
  }
}

/** `output` or `error` alone hold what the tool answered. Anything else is the answer itself. */
const answerIn = (response: Json): { readonly value: unknown; readonly isError: boolean } => {
  const [name = "", ...more] = Object.keys(response)
  const isAlone = more.length === 0 && (name === "output" || name === "error")
  return { value: isAlone ? response[name] : response, isError: isAlone && name === "error" }
}

const readResult = (given: Json, at: string, calls: Calls): ResultPart => {
  const { id: givenId, name: called, parts, response } = given
  const name = text(called, `${at}.name`)
  const id = calls.answer(name, givenId)
  if (id === undefined) throw new Malformed(at, "a call of this function before it")
  const { isError, value } = answerIn(object(response, `${at}.response`))
  const written = stringify(value)
  return {
    type: "result",
    id,
    parts: [
      // A number with many digits is read as a text.
      { type: "text", text: typeof value === "string" && written.startsWith('"') ? value : written },
      ...items(parts, `${at}.parts`).map(([part, at]) => readFile(part, at) ?? ownPart(part))
    ],
    ...(isError ? { isError } : {})
  }
}

const readUser = (part: Json, at: string, calls: Calls): UserPart => {
  const [kind, ...more] = Object.keys(part).filter((name) => !isMissing(part[name]) && part[name] !== false)
  if (more.length > 0) return ownPart(part)
  if (kind === "text") return { type: "text", text: text(part[kind], `${at}.text`) }
  const response = part["functionResponse"]
  if (isObject(response)) return readResult(camel(response, at), `${at}.functionResponse`, calls)
  return readFile(part, at) ?? ownPart(part)
}

/** `own` gathers what has no place. */
const readContents = (given: unknown, own: Array<string>): ReadonlyArray<Message> => {
  const calls = new Calls()
  return items(given, "contents").flatMap(([{ parts: said, role = "user" }, at]): ReadonlyArray<Message> => {
    const parts = items(said, `${at}.parts`)
    if (role === "model") {
      return [{ role: "assistant", parts: parts.flatMap(([part, at]) => readAnswered(part, at, calls.add)) }]
    }
    if (role !== "user" && role !== "function") own.push(at)
    return [{ role: "user", parts: parts.map(([part, at]) => readUser(part, at, calls)) }]
  })
}

const readSystem = (given: unknown, own: Array<string>): ReadonlyArray<TextPart> =>
  items(fields(given, "systemInstruction")["parts"], "systemInstruction.parts").flatMap(([{ text }, at]) => {
    if (typeof text !== "string") own.push(at)
    return typeof text === "string" && text !== "" ? [{ type: "text", text }] : []
  })

const readTools = (given: unknown, own: Array<string>, strict: true | undefined): ReadonlyArray<Tool> =>
  items(given, "tools").flatMap(([{ functionDeclarations, ...others }, at]) => {
    for (const name in others) own.push(`${at}.${name}`)
    return items(functionDeclarations, `${at}.functionDeclarations`).map(([declared, at]): Tool => {
      const { description, name, parameters, parametersJsonSchema: schema, ...more } = declared
      for (const name in more) own.push(`${at}.${name}`)
      return {
        name: text(name, `${at}.name`),
        description: typeof description === "string" ? description : undefined,
        parameters: readEither(schema, parameters, at),
        strict
      }
    })
  })

/** JSON Schema, or Google's own. */
const readEither = (schema: unknown, described: unknown, at: string): Json | undefined => {
  if (!isMissing(schema)) return object(schema, at)
  return isMissing(described) ? undefined : readSchema(described, at)
}

const modes: Readonly<Record<string, "auto" | "none" | "required">> = {
  AUTO: "auto",
  VALIDATED: "auto",
  NONE: "none",
  ANY: "required"
}

const choiceAt = "toolConfig.functionCallingConfig"

const readChoice = ({ allowedFunctionNames, mode: word, ...others }: Json, own: Array<string>) => {
  for (const name in others) own.push(`${choiceAt}.${name}`)
  const mode = wordIn(modes, text(word, `${choiceAt}.mode`))
  const [name, ...more] = list(allowedFunctionNames, `${choiceAt}.allowedFunctionNames`)
  if (mode === "required" && more.length === 0 && typeof name === "string") return { toolChoice: { name } }
  if (name !== undefined) own.push(`${choiceAt}.allowedFunctionNames`)
  return mode === undefined ? {} : { toolChoice: mode }
}

const thinkingAt = "generationConfig.thinkingConfig"

const readReasoning = (given: unknown, own: Array<string>): Reasoning | undefined => {
  const { includeThoughts, thinkingBudget: budget, thinkingLevel, ...others } = fields(given, thinkingAt)
  for (const name in others) own.push(`${thinkingAt}.${name}`)
  const level = text(thinkingLevel, `${thinkingAt}.thinkingLevel`).toLowerCase()
  if (!isMissing(budget) && typeof budget !== "number") own.push(`${thinkingAt}.thinkingBudget`)
  if (budget === 0) return { isOff: true }
  const reasoning: Reasoning = {
    ...(includeThoughts === true ? { isShown: true } : {}),
    ...(typeof budget !== "number" ? {} : budget < 0 ? { isAdaptive: true } : { budget }),
    ...(level === "" || level === "thinking_level_unspecified" ? {} : { effort: level })
  }
  return Object.keys(reasoning).length === 0 ? undefined : reasoning
}

const readFormat = (config: Json, own: Array<string>): Format | undefined => {
  const { responseJsonSchema, responseMimeType: mediaType, responseSchema } = config
  const isJson = mediaType === "application/json"
  if (!isJson && !isMissing(mediaType) && mediaType !== "text/plain") own.push("generationConfig.responseMimeType")
  const schema = readEither(responseJsonSchema, responseSchema, "generationConfig.responseSchema")
  if (schema !== undefined) return { type: "schema", schema }
  return isJson ? { type: "json" } : undefined
}

const readTier = (tier: string): string => {
  const word = tier.toLowerCase()
  return word === "standard" || word === "unspecified" ? "default" : word
}

/** Reads a body to which its caller added the model and whether the answer is streamed: the path has both. */
export const readRequest = (given: Json): Conversation => {
  const asked = camel(given, "body")
  const config = fields(asked["generationConfig"], "generationConfig")
  const toolConfig = fields(asked["toolConfig"], "toolConfig")
  const body: Json = { ...asked, generationConfig: config, toolConfig }
  const { own: unknown, settings: values } = readSettings(body, settings, known)
  const own = [...unknown]
  const choice = fields(toolConfig["functionCallingConfig"], choiceAt)
  const tools = readTools(body["tools"], own, choice["mode"] === "VALIDATED" ? true : undefined)
  const format = readFormat(config, own)
  const reasoning = readReasoning(config["thinkingConfig"], own)
  if (list(body["safetySettings"], "safetySettings").length > 0) own.push("safetySettings")
  // An answer has one candidate, of text.
  if ((config["candidateCount"] ?? 1) !== 1) own.push("generationConfig.candidateCount")
  const modalities = list(config["responseModalities"], "generationConfig.responseModalities")
  if (modalities.some((each) => each !== "TEXT")) own.push("generationConfig.responseModalities")
  return {
    ...values,
    ...(values.tier === undefined ? {} : { tier: readTier(values.tier) }),
    model: text(body["model"], "model"),
    system: readSystem(body["systemInstruction"], own),
    messages: readContents(body["contents"], own),
    ...(tools.length === 0 ? {} : { tools }),
    ...readChoice(choice, own),
    ...readStop(config["stopSequences"], "generationConfig.stopSequences"),
    ...(format === undefined ? {} : { format }),
    ...(reasoning === undefined ? {} : { reasoning }),
    isStream: body["stream"] === true,
    own
  }
}

/** Google watches a film by such an address, whatever type it is said to have. */
const isFilm = /^https?:\/\/(?:[^/?#]*\.)?(?:youtube(?:-nocookie)?\.com|youtu\.be)(?:[/?#:]|$)/i

const writeFile = ({ mediaType, source }: FilePart, lost: Lost): ReadonlyArray<Json> => {
  if ("base64" in source) return [{ inlineData: { mimeType: mediaType, data: source.base64 } }]
  if ("text" in source) return [{ text: source.text }]
  if ("id" in source && source.by !== "google") {
    lost.add("fileById")
    return []
  }
  const isImage = mediaType.startsWith("image")
  // An image is priced as one.
  if (isImage && "url" in source && isFilm.test(source.url)) {
    lost.add("video")
    return []
  }
  const mimeType = mediaType.includes("/") ? mediaType : isImage ? "image/jpeg" : undefined
  return [{ fileData: defined({ mimeType, fileUri: "url" in source ? source.url : source.id }) }]
}

/** JSON stays JSON, unless it would be read as something else. */
const responseOf = (said: string, isError: boolean): Json => {
  const value = parseObject(said)
  if (isError) return { error: value ?? said }
  return value === undefined || answerIn(value).value !== value ? { output: value ?? said } : value
}

type Called = ReadonlyMap<string, { readonly name: string; readonly index: number }>

const writeResult = (part: ResultPart, calls: Called, lost: Lost): Json => {
  const call = calls.get(part.id)
  if (call === undefined) throw new Malformed("messages", "the call of every result before it")
  const written = part.parts.flatMap((inner) => writeSimple(inner, lost))
  const said = written.flatMap(({ text }) => (typeof text === "string" ? [text] : []))
  const files = written.filter((inner) => !("text" in inner))
  return {
    functionResponse: {
      name: call.name,
      response: responseOf(said.join("\n"), part.isError === true),
      ...(files.length === 0 ? {} : { parts: files })
    }
  }
}

/** Google refuses a text without anything in it. */
const writeSimple = (part: Exclude<UserPart, ResultPart>, lost: Lost): ReadonlyArray<Json> => {
  if (part.type === "own") lost.addOwn(part.value["type"])
  else if (part.cache !== undefined) lost.add("cache")
  if (part.type === "text") return part.text === "" ? [] : [{ text: part.text }]
  return part.type === "file" ? writeFile(part, lost) : []
}

const writeUser = (parts: ReadonlyArray<UserPart>, calls: Called, lost: Lost): ReadonlyArray<Json> => {
  const indexOf = ({ id }: ResultPart): number => calls.get(id)?.index ?? 0
  const results = parts.filter((part) => part.type === "result").toSorted((a, b) => indexOf(a) - indexOf(b))
  let next = 0
  return parts.flatMap((part) => {
    if (part.type !== "result") return writeSimple(part, lost)
    if (part.cache !== undefined) lost.add("cache")
    const result = results[next++] ?? part
    return [writeResult(result, calls, lost)]
  })
}

const signOf =
  (lost: Lost) =>
  ({ by, data }: Sealed): string | undefined => {
    if (by === "google") return data
    lost.add("sealed")
    return undefined
  }

/** Of these models the first call of each turn must be signed. */
const needsSignature = /gemini-(?:[3-9]|\d\d)/

const writeModel = (parts: ReadonlyArray<AnswerPart>, lost: Lost, model: string): ReadonlyArray<Json> => {
  for (const part of parts) {
    if (part.type === "own") lost.addOwn(part.value["type"])
    else if ("cache" in part && part.cache !== undefined) lost.add("cache")
  }
  const written = writeAnswered(parts, signOf(lost), ({ arguments: given, name }) => ({ name, args: inputOf(given) }))
  const first = needsSignature.test(model) ? written.find(({ functionCall }) => functionCall !== undefined) : undefined
  return written.map((part) => (part === first ? { thoughtSignature: notSigned, ...part } : part))
}

/** Results stand in the order of their calls, since no ids are sent: Vertex takes none. */
const writeContents = ({ messages }: Conversation, lost: Lost, model: string): ReadonlyArray<Json> => {
  const calls = new Map<string, { readonly name: string; readonly index: number }>()
  const turns = turnsOf(messages, lost)
  if (turns.at(-1)?.role === "assistant") lost.add("prefill")
  return turns.flatMap((turn) => {
    if (turn.role === "assistant") {
      for (const [index, part] of turn.parts.entries()) {
        if (part.type === "call") calls.set(part.id, { name: part.name, index })
      }
    }
    const parts = turn.role === "user" ? writeUser(turn.parts, calls, lost) : writeModel(turn.parts, lost, model)
    return parts.length === 0 ? [] : [{ role: turn.role === "user" ? "user" : "model", parts }]
  })
}

const writeTool = ({ cache, description, name, parameters }: Tool, lost: Lost): Json => {
  if (cache !== undefined) lost.add("cache")
  return defined({ name, description, parametersJsonSchema: parameters })
}

const words = { auto: "AUTO", none: "NONE", required: "ANY" } as const

/** `ANY` keeps to the schemas by itself. */
const writeChoice = ({ toolChoice, tools = [] }: Conversation): Json | undefined => {
  if (typeof toolChoice === "object") return { mode: "ANY", allowedFunctionNames: [toolChoice.name] }
  if ((toolChoice ?? "auto") === "auto" && tools.some(({ strict }) => strict === true)) return { mode: "VALIDATED" }
  return toolChoice && { mode: words[toolChoice] }
}

// Google has no word above `high`.
const levels: Readonly<Record<string, string>> = { xhigh: "high", max: "high" }

const writeThinking = ({ budget, effort, isAdaptive, isOff, isShown }: Reasoning): Json | undefined => {
  if (isOff === true) return { thinkingBudget: 0 }
  const shown = isShown === true ? { includeThoughts: true } : {}
  if (budget !== undefined) return { thinkingBudget: budget, ...shown }
  if (effort !== undefined) return { thinkingLevel: wordIn(levels, effort) ?? effort, ...shown }
  if (isAdaptive === true) return { thinkingBudget: -1, ...shown }
  return isShown === true ? shown : undefined
}

/** Writes a body. The model and whether the answer is streamed are in the path. */
export const writeRequest = (conversation: Conversation, lost: Lost, { model }: WriteOptions): Json => {
  const { format, isParallel, own, reasoning, stop, system, tools = [] } = conversation
  for (const field of own) lost.addOwn(field)
  const body: Record<string, unknown> = {}
  const instruction = system.flatMap((part) => writeSimple(part, lost))
  if (instruction.length > 0) body["systemInstruction"] = { parts: instruction }
  body["contents"] = writeContents(conversation, lost, model ?? conversation.model)
  writeSettings(body, conversation, settings, lost)
  const config = defined({
    ...(body["generationConfig"] as Json | undefined),
    stopSequences: stop,
    responseMimeType: format && "application/json",
    responseJsonSchema: format?.type === "schema" ? format.schema : undefined,
    thinkingConfig: reasoning && writeThinking(reasoning)
  })
  if (Object.keys(config).length > 0) body["generationConfig"] = config
  if (tools.length > 0) {
    body["tools"] = [{ functionDeclarations: tools.map((tool) => writeTool(tool, lost)) }]
    if (isParallel === false) lost.add("oneTool")
    const choice = writeChoice(conversation)
    if (choice !== undefined) body["toolConfig"] = { functionCallingConfig: choice }
  }
  return body
}
