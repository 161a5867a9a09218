import type { SharedV4Warning } from "@ai-sdk/provider"
import type {
  AnswerPart,
  Conversation,
  FilePart,
  Format,
  Message,
  Tool,
  UserPart
} from "@tollgate/protocols/Conversation"
import { defined, isObject, Malformed, objectOr } from "@tollgate/protocols/json"
import { Lost, losses, type LossName } from "@tollgate/protocols/losses"
import { readEffort } from "@tollgate/protocols/reasoning"
import { argumentsOf, InvalidPrompt, textPart, Unsupported } from "./parts.ts"
import type { Protocol } from "./protocols.ts"

/** Settings of a model, for all of its calls. */
export interface ModelSettings {
  readonly effort?: "none" | "minimal" | "low" | "medium" | "high" | "xhigh" | "max" | undefined
  readonly maxOutputTokens?: number | undefined
  readonly temperature?: number | undefined
  readonly topP?: number | undefined
  readonly topK?: number | undefined
  readonly presencePenalty?: number | undefined
  readonly frequencyPenalty?: number | undefined
  readonly seed?: number | undefined
  readonly stop?: ReadonlyArray<string> | undefined
}

/** What a model is asked, independent of the protocol. */
export interface Asked extends ModelSettings {
  readonly model: string
  readonly messages: ReadonlyArray<Message>
  readonly tools: ReadonlyArray<Tool>
  readonly toolChoice: Conversation["toolChoice"] | undefined
  readonly format: Format | undefined
}

/** The losses that are warnings, by the names of `ai`. All others are refused. */
const features: Readonly<Partial<Record<LossName, string>>> = {
  topK: "topK",
  presencePenalty: "presencePenalty",
  frequencyPenalty: "frequencyPenalty",
  seed: "seed",
  stop: "stopSequences",
  hotTemperature: "temperature",
  reasoningTemperature: "temperature",
  jsonFormat: "responseFormat",
  systemLater: "system",
  prefill: "prompt",
  sealed: "reasoning"
}

const warningOf = (name: LossName): SharedV4Warning & { readonly type: "unsupported" } => {
  const feature = features[name]
  if (feature === undefined) throw new Unsupported(losses[name].words)
  return { type: "unsupported", feature, ...(feature === name ? {} : { details: losses[name].words }) }
}

/** OpenAI takes a schema as strict only if every object is closed and requires all of its properties. */
const isStrict = (schema: unknown): boolean => {
  if (Array.isArray(schema)) return schema.every(isStrict)
  if (!isObject(schema)) return true
  const { additionalProperties, properties, required, type } = schema
  const names = Object.keys(objectOr(properties))
  const needed = new Set(Array.isArray(required) ? required : [])
  const isClosed = additionalProperties === false && names.every((name) => needed.has(name))
  return ((type !== "object" && properties === undefined) || isClosed) && Object.values(schema).every(isStrict)
}

interface Described {
  readonly name?: string | undefined
  readonly description?: string | undefined
  readonly schema?: unknown
}

/** JSON as the answer, of a schema if there is one. */
export const formatOf = ({ description, name, schema }: Described): Format =>
  isObject(schema) ? { type: "schema", name, description, schema, strict: isStrict(schema) } : { type: "json" }

const isOpenai = (shape: Protocol["shape"]): boolean => shape === "chat" || shape === "responses"

/** Other documents are taken as text only. */
const checkFile = ({ mediaType, source }: FilePart): void => {
  if (!("text" in source) && !/^(?:image|audio|video)\/|^application\/pdf$/.test(mediaType)) {
    throw new Unsupported(`a file of type ${mediaType}`)
  }
}

const userPart = ({ shape }: Protocol, part: UserPart): UserPart => {
  if (part.type === "file") checkFile(part)
  if (part.type !== "result") return part
  const { id, isError, parts } = part
  for (const inner of parts) if (inner.type === "file") checkFile(inner)
  if (isError !== true || !isOpenai(shape)) return part
  const error = parts.flatMap((inner) => (inner.type === "text" ? [inner.text] : [])).join("\n")
  const files = parts.filter(({ type }) => type !== "text")
  return { type: "result", id, parts: [textPart(JSON.stringify({ error })), ...files] }
}

const answerPart = ({ shape }: Protocol, part: AnswerPart): ReadonlyArray<AnswerPart> => {
  // OpenAI has no place for thoughts, and refuses fields that it does not know.
  if (part.type === "reasoning" && shape === "chat") return part.sealed === undefined ? [] : [{ ...part, text: "" }]
  if (part.type !== "call" || isOpenai(shape)) return [part]
  // The others take only an object, and a model may have written something else.
  const given = argumentsOf(part.arguments)
  return [{ ...part, arguments: JSON.stringify(isObject(given) ? given : { invalid_json: part.arguments }) }]
}

/** What the protocol has no words for, in others that mean the same. */
const messageIn = (protocol: Protocol, message: Message): Message => {
  const { role } = message
  if (role === "user") return { role, parts: message.parts.map((part) => userPart(protocol, part)) }
  return role === "system" ? message : { role, parts: message.parts.flatMap((part) => answerPart(protocol, part)) }
}

/** Anthropic requires a limit. That of a model that reasons has room for it. */
const limits = { plain: 4_096, reasoning: 20_480 }

/** Throws `Unsupported` for what the protocol cannot express, and `InvalidPrompt`: then nothing is sent. */
export const write = (protocol: Protocol, asked: Asked) => {
  const { effort, format, maxOutputTokens: limit, messages, model, toolChoice, tools, ...settings } = asked
  const lost = new Lost()
  const first = messages.findIndex(({ role }) => role !== "system")
  const turns = first === -1 ? [] : messages.slice(first)
  // Only OpenAI has some later. Else they go before the first turn, and the codec says that they are lost where they were.
  const leading = isOpenai(protocol.shape) ? messages.slice(0, first === -1 ? undefined : first) : messages
  const reasoning = effort === undefined ? undefined : { isShown: true, ...readEffort(effort) }
  const conversation: Conversation = {
    ...(defined({ ...settings, limit }) as Pick<Conversation, "limit" | "stop">),
    model,
    system: leading.flatMap((message) => (message.role === "system" ? message.parts : [])),
    messages: turns.map((message) => messageIn(protocol, message)),
    ...(tools.length === 0 ? {} : { tools, ...(toolChoice === undefined ? {} : { toolChoice }) }),
    ...(format === undefined ? {} : { format }),
    ...(reasoning === undefined ? {} : { reasoning }),
    // The client asks for the stream.
    isStream: false,
    own: []
  }
  const reasons = reasoning !== undefined && reasoning.isOff !== true
  try {
    const input = protocol.writeRequest(conversation, lost, { limit: reasons ? limits.reasoning : limits.plain })
    return { input, warnings: [...lost.names].map(warningOf) }
  } catch (error) {
    throw error instanceof Malformed ? new InvalidPrompt(error.message, { cause: error }) : error
  }
}
