import { textOf } from "@tollgate/client"
import type { OfferedOperation } from "@tollgate/contract/account/Offer"
import { type Arguments, type Path, getIn, isObject, setIn } from "./json.ts"

interface Turn {
  readonly role: "user" | "model"
  /** `undefined`: something else than text, which the chat leaves as it is. */
  readonly text: string | undefined
}

interface Shape {
  readonly list: string
  readonly modelRole: string
  readonly maxTokens: Path
  readonly read: (message: Arguments) => string | undefined
  readonly write: (role: string, text: string) => Arguments
  readonly system: (given: Arguments) => string
  readonly withSystem: (given: Arguments, text: string) => Arguments
}

const texts = (parts: unknown): string | undefined => {
  if (!Array.isArray(parts)) return undefined
  const all = parts.map((part: unknown) => (isObject(part) ? part["text"] : undefined))
  return all.every((text) => typeof text === "string") ? all.join("") : undefined
}

type Conversation = ReturnType<typeof make>

/** Reads and writes the arguments of an operation as a conversation. Whatever else they contain stays. */
const make = ({ list, maxTokens, modelRole, read, system, withSystem, write }: Shape) => {
  const all = (given: Arguments): ReadonlyArray<Arguments> => {
    const found = given[list]
    if (typeof found === "string") return [write("user", found)]
    return Array.isArray(found) ? found.filter(isObject) : []
  }
  const isSystem = (message: Arguments) => message["role"] === "system"
  /** The message that is being written: the user's, if it is the last. */
  const written = (given: Arguments): Arguments | undefined => {
    const last = all(given).at(-1)
    return last?.["role"] === "user" ? last : undefined
  }
  const before = (given: Arguments) => (written(given) === undefined ? all(given) : all(given).slice(0, -1))
  const next = (given: Arguments): string => read(written(given) ?? {}) ?? ""
  const withNext = (given: Arguments, text: string): Arguments =>
    setIn(given, [list], text === "" ? before(given) : [...before(given), write("user", text)])
  return {
    system,
    withSystem,
    model: ["model"],
    maxTokens,
    next,
    withNext,
    /** The messages before the one that is being written. */
    turns: (given: Arguments): ReadonlyArray<Turn> =>
      before(given)
        .filter((message) => !isSystem(message))
        .map((message) => ({ role: message["role"] === modelRole ? "model" : "user", text: read(message) })),
    hasNext: (given: Arguments): boolean => {
      const message = written(given)
      return message !== undefined && read(message) !== ""
    },
    withAnswer: (given: Arguments, text: string): Arguments =>
      setIn(given, [list], [...all(given), write(modelRole, text)]),
    /** Begins again, with the message that is being written. */
    cleared: (given: Arguments): Arguments => withNext(setIn(given, [list], all(given).filter(isSystem)), next(given))
  }
}

const readContent = ({ content }: Arguments): string | undefined =>
  typeof content === "string" ? content : texts(content)
const writeContent = (role: string, content: string): Arguments => ({ role, content })

const byContent = { modelRole: "assistant", read: readContent, write: writeContent }

const isSystemMessage = (message: unknown): message is Arguments => isObject(message) && message["role"] === "system"

/** The first message is the system's, if there is one. */
const openaiConversation = make({
  list: "messages",
  ...byContent,
  maxTokens: ["max_tokens"],
  system: ({ messages }) => {
    const found = Array.isArray(messages) ? messages.find(isSystemMessage) : undefined
    return found === undefined ? "" : (readContent(found) ?? "")
  },
  withSystem: (given, text) => {
    const messages = Array.isArray(given["messages"]) ? given["messages"] : []
    const others = messages.filter((message) => !isSystemMessage(message))
    return setIn(given, ["messages"], text === "" ? others : [writeContent("system", text), ...others])
  }
})

/** The list may be a text: the user's first message. */
const responsesConversation = make({
  list: "input",
  ...byContent,
  maxTokens: ["max_output_tokens"],
  system: ({ instructions }) => (typeof instructions === "string" ? instructions : ""),
  withSystem: (given, text) => setIn(given, ["instructions"], text === "" ? undefined : text)
})

const messagesConversation = make({
  list: "messages",
  ...byContent,
  maxTokens: ["max_tokens"],
  system: ({ system }) => (typeof system === "string" ? system : (texts(system) ?? "")),
  withSystem: (given, text) => setIn(given, ["system"], text === "" ? undefined : text)
})

const geminiConversation = make({
  list: "contents",
  modelRole: "model",
  maxTokens: ["generationConfig", "maxOutputTokens"],
  read: ({ parts }) => texts(parts),
  write: (role, text) => ({ role, parts: [{ text }] }),
  system: (given) => texts(getIn(given, ["systemInstruction", "parts"])) ?? "",
  withSystem: (given, text) => setIn(given, ["systemInstruction"], text === "" ? undefined : { parts: [{ text }] })
})

/** The shape in which each operation for conversations takes them. */
const protocols: Readonly<Record<string, Conversation>> = {
  "chat.completions": openaiConversation,
  "deep_research.search": openaiConversation,
  responses: responsesConversation,
  messages: messagesConversation,
  "models.generate_content": geminiConversation,
  "models.stream_generate_content": geminiConversation
}

export const conversationOf = ({ template }: OfferedOperation): Conversation | undefined =>
  Object.hasOwn(protocols, template) ? protocols[template] : undefined

export const isChat = (operation: OfferedOperation): boolean => conversationOf(operation) !== undefined

const list = (value: unknown): ReadonlyArray<Readonly<Record<string, unknown>>> =>
  Array.isArray(value) ? value.filter(isObject) : []

/** The text of a model's whole answer, in any of the protocols, or an empty string. */
export const answerText = (value: unknown): string => (isObject(value) ? textOf(value) : "")

/** Whether an answer, or an event of one, says that it ended at the most tokens, in any of the protocols. */
export const isCutOff = (value: unknown): boolean => {
  if (!isObject(value)) return false
  return (
    value["stop_reason"] === "max_tokens" ||
    getIn(value, ["delta", "stop_reason"]) === "max_tokens" ||
    getIn(value, ["incomplete_details", "reason"]) === "max_output_tokens" ||
    getIn(value, ["response", "incomplete_details", "reason"]) === "max_output_tokens" ||
    list(value["choices"]).some((choice) => getIn(choice, ["finish_reason"]) === "length") ||
    list(value["candidates"]).some((candidate) => getIn(candidate, ["finishReason"]) === "MAX_TOKENS")
  )
}
