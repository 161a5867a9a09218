import * as Result from "effect/Result"
import { parseJson } from "../../internal/parseJson.ts"
import { names, tools } from "./tools.ts"

/** The most bytes of a body with a tool call. */
export const mostBytes = 4 * 1024 * 1024
/** The most escapes of a body. Arguments are read, checked and written again, so each costs four times what it does over HTTP. */
export const mostEscapes = 500_000
/** The most bytes of any other body. A session keeps what it was initialized with. */
const mostOtherBytes = 16 * 1024
const mostMessages = 20
const longestId = 256

/** A JSON-RPC message, as far as the face needs it. */
export interface Message {
  readonly method: string | undefined
  readonly id: string | number | undefined
  readonly params: Readonly<Record<string, unknown>>
  /** It has a field that JSON-RPC does not have. */
  readonly hasMore: boolean
}

/** What a body holds. */
export interface Messages {
  readonly list: ReadonlyArray<Message>
  readonly isBatch: boolean
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const fields = new Set(["jsonrpc", "id", "method", "params"])

const isId = (id: unknown): id is string | number => typeof id === "string" || typeof id === "number"

/** What is not JSON-RPC has no method: the MCP server rejects it. */
const messageOf = (value: unknown): Message => {
  if (!isObject(value)) return { method: undefined, id: undefined, params: {}, hasMore: false }
  const { id, jsonrpc, method, params } = value
  const isCall = jsonrpc === "2.0" && (id === undefined || isId(id))
  return {
    method: isCall && typeof method === "string" ? method : undefined,
    id: isId(id) ? id : undefined,
    params: isObject(params) ? params : {},
    hasMore: Object.keys(value).some((name) => !fields.has(name))
  }
}

export const isToolCall = ({ method }: Message): boolean => method === "tools/call"

/** Only what calls operations has long arguments. */
const mayBeLong = (message: Message): boolean =>
  isToolCall(message) && [tools.use.name, tools.batchUse.name].includes(String(message.params["name"]))

/** The operation that a call of the tool `use` names. */
export const operationIn = (message: Message | undefined): string | undefined => {
  if (message === undefined || !isToolCall(message) || message.params["name"] !== tools.use.name) return undefined
  const given = message.params["arguments"]
  const id = isObject(given) ? given["operation_id"] : undefined
  return typeof id === "string" ? id : undefined
}

/** Reads the messages of a body. A body that is not JSON has none: the MCP server answers it. */
export const messagesIn = (bytes: Uint8Array): Result.Result<Messages, string> => {
  const parsed = parseJson(bytes)
  if (Result.isFailure(parsed)) return Result.succeed({ list: [], isBatch: false })
  const isBatch = Array.isArray(parsed.success)
  const values = isBatch ? (parsed.success as ReadonlyArray<unknown>) : [parsed.success]
  if (values.length > mostMessages) return Result.fail(`A batch has at most ${mostMessages} messages.`)
  const messages = values.map(messageOf)
  if (messages.some(({ id }) => typeof id === "string" && id.length > longestId)) {
    return Result.fail(`An id has at most ${longestId} characters.`)
  }
  return bytes.length > mostOtherBytes && !messages.every(mayBeLong)
    ? Result.fail(`A message that is not a call of use or batch_use has at most ${mostOtherBytes} bytes.`)
    : Result.succeed({ list: messages, isBatch })
}

/**
 * Whether a message counts as a request of its own. The tools count themselves, and a cancellation must get through when
 * the limit is reached.
 */
export const isCounted = (message: Message): boolean =>
  message.method !== "notifications/cancelled" && !(isToolCall(message) && names.has(String(message.params["name"])))
