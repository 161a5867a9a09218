import type { WriteOptions } from "../Codec.ts"
import type { AnswerPart, Conversation, FilePart, Format, ResultPart, Sealed, Tool, UserPart } from "../Conversation.ts"
import { stringify } from "../exact.ts"
import { defined, type Json, objectOr, wordIn } from "../json.ts"
import type { Lost } from "../losses.ts"
import { effortOf, writeEffort } from "../reasoning.ts"
import { redactedOf } from "../sealed.ts"
import { cooled, type Paths, writeSettings } from "../settings.ts"
import { inputOf, turnsOf } from "../turns.ts"

export const settings: Paths = {
  limit: "inferenceConfig.maxTokens",
  temperature: "inferenceConfig.temperature",
  topP: "inferenceConfig.topP",
  // What only some models take is theirs to refuse.
  topK: "additionalModelRequestFields.top_k",
  tier: "serviceTier.type"
}

// Bedrock refuses a call with a mark for any other model.
const keepsPrompt = /(?:^|[./])(?:anthropic\.|amazon\.nova)/
const keepsTools = /(?:^|[./])anthropic\./

/** Formats that are not called as the second half of their media type. */
const formats: Readonly<Record<string, string>> = {
  "image/jpg": "jpeg",
  "video/quicktime": "mov",
  "text/markdown": "md",
  "text/plain": "txt",
  "application/msword": "doc",
  "application/vnd.ms-excel": "xls",
  "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": "xlsx",
  "application/vnd.openxmlformats-officedocument.wordprocessingml.document": "docx"
}

const media = new Set(["image", "audio", "video"])

const writeReasoning = (text: string, sealed: Sealed): Json => {
  const redactedContent = redactedOf(sealed, "amazon")
  return redactedContent ? { redactedContent } : { reasoningText: { text, signature: sealed.data } }
}

/** Names of documents have few characters and no two spaces in a row, and no two are alike. */
const nameOf = (name = "document", count: number): string =>
  `${name.slice(0, 150)} ${count}`.replaceAll(/[^A-Za-z0-9 ()[\]-]+/g, "-").replaceAll(/ +/g, " ")

/** Writes what the turns of a request hold. */
class Blocks {
  readonly #lost: Lost
  readonly #model: string
  #documents = 0

  constructor(lost: Lost, model: string) {
    this.#lost = lost
    this.#model = model
  }

  /** The prompt is kept up to here. */
  mark(cache: Json | undefined, keeps = keepsPrompt): ReadonlyArray<Json> {
    if (cache === undefined) return []
    if (keeps.test(this.#model)) return [{ cachePoint: defined({ type: "default", ttl: cache["ttl"] }) }]
    this.#lost.add("cache")
    return []
  }

  of(part: UserPart | AnswerPart): ReadonlyArray<Json> {
    switch (part.type) {
      case "text":
      case "refusal":
        // Bedrock refuses a text without anything in it.
        return part.text === "" ? [] : [{ text: part.text }, ...this.mark("cache" in part ? part.cache : undefined)]
      case "file":
        return [...this.#file(part), ...this.mark(part.cache)]
      case "result":
        return this.#result(part)
      case "call": {
        const { id, name, sealed } = part
        if (sealed !== undefined) this.#lost.add("sealed")
        return [{ toolUse: { toolUseId: id, name, input: inputOf(part.arguments) } }, ...this.mark(part.cache)]
      }
      case "reasoning":
        if (part.sealed?.by === "amazon") return [{ reasoningContent: writeReasoning(part.text, part.sealed) }]
        // Text alone tells the model nothing that it needs.
        if (part.sealed !== undefined) this.#lost.add("sealed")
        return []
      case "own":
        this.#lost.addOwn(part.value["type"])
        return []
    }
  }

  #file({ mediaType, name, source }: FilePart): ReadonlyArray<Json> {
    if (!("base64" in source || "text" in source)) {
      // Not even `s3://`: the caller would read what the operator's account may read.
      this.#lost.add("url" in source ? "fileByUrl" : "fileById")
      return []
    }
    const type = mediaType.replace(/;.*/s, "").trim().toLowerCase()
    const [kind = "", half] = type.split("/")
    const block = {
      format: wordIn(formats, type) ?? half,
      source: "text" in source ? { text: source.text } : { bytes: source.base64 }
    }
    return [media.has(kind) ? { [kind]: block } : { document: { name: nameOf(name, ++this.#documents), ...block } }]
  }

  /** In a result is no place for a mark. */
  #result({ cache, id, isError, parts }: ResultPart): ReadonlyArray<Json> {
    const content: Array<Json> = []
    const marks = [...this.mark(cache)]
    for (const block of parts.flatMap((part) => this.of(part))) {
      if ("cachePoint" in block) marks.push(block)
      else content.push(block)
    }
    const status = isError === true ? "error" : undefined
    return [{ toolResult: defined({ toolUseId: id, content, status }) }, ...marks.slice(0, 1)]
  }
}

const writeTool = ({ description, name, parameters, strict }: Tool): Json => ({
  toolSpec: defined({
    name,
    description: description || undefined,
    inputSchema: { json: { type: "object", ...parameters } },
    strict
  })
})

const choices = { auto: { auto: {} }, required: { any: {} } } as const

/** There is no word for no tool: none is offered. Bedrock wants those that the turns have used. */
const writeTools = ({ messages, toolChoice, tools }: Conversation, blocks: Blocks, lost: Lost): Json | undefined => {
  if (tools === undefined) return undefined
  if (toolChoice === "none") {
    const isUsed = messages.some(({ parts }) => parts.some(({ type }) => type === "call" || type === "result"))
    if (!isUsed) return undefined
    lost.addOwn("tool_choice")
  }
  return defined({
    tools: tools.flatMap((tool) => [writeTool(tool), ...blocks.mark(tool.cache, keepsTools)]),
    toolChoice:
      typeof toolChoice === "object"
        ? { tool: { name: toolChoice.name } }
        : toolChoice && toolChoice !== "none"
          ? choices[toolChoice]
          : undefined
  })
}

const writeFormat = (format: Format | undefined, lost: Lost): Json | undefined => {
  if (format?.type === "json") lost.add("jsonFormat")
  if (format?.type !== "schema") return undefined
  const { description, name, schema } = format
  const jsonSchema = defined({ name, description, schema: stringify(schema) })
  return { type: "json_schema", structure: { jsonSchema } }
}

/** Writes the body of a call. Who sends it takes `stream` out again: the path says it, and has the model. */
export const writeRequest = (conversation: Conversation, lost: Lost, { model }: WriteOptions): Json => {
  const { format, isParallel, isStream, messages, own, reasoning, stop, system, tools } = conversation
  for (const field of own) lost.addOwn(field)
  const blocks = new Blocks(lost, model ?? conversation.model)
  const turns = turnsOf(messages, lost).map(({ parts, role }) => {
    return { role, content: parts.flatMap((part) => blocks.of(part)) }
  })
  const body: Record<string, unknown> = { messages: turns.filter(({ content }) => content.length > 0) }
  if (system.length > 0) body["system"] = system.flatMap((part) => blocks.of(part))
  writeSettings(body, cooled(conversation, lost), settings, lost)
  if (stop !== undefined) body["inferenceConfig"] = { ...objectOr(body["inferenceConfig"]), stopSequences: stop }
  const toolConfig = writeTools(conversation, blocks, lost)
  if (toolConfig !== undefined) body["toolConfig"] = toolConfig
  if (tools !== undefined && isParallel === false) lost.add("oneTool")
  const effort = reasoning && writeEffort(effortOf(reasoning))
  if (effort === "none") lost.add("noReasoning")
  const textFormat = writeFormat(format, lost)
  const output = defined({ textFormat, effort: effort === "none" ? undefined : effort })
  if (Object.keys(output).length > 0) body["outputConfig"] = output
  if (isStream) body["stream"] = true
  return body
}
