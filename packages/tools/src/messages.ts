import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import { parseJson } from "@tollgate/gateway/endpoint"
import { names, tools } from "./tools.ts"

/** The most bytes of a body with a tool call. */
export const mostBytes = 4 * 1024 * 1024
/** The most escapes of a body. Arguments are read, checked and written again, so each costs four times what it does over HTTP. */
export const mostEscapes = 500_000
/** The most bytes of any other body. */
const mostOtherBytes = 16 * 1024
const mostMessages = 20
const longestId = 256

type Id = string | number

export interface Message {
  /** `answer`: to a question that the gateway asked. */
  readonly kind: "request" | "notification" | "answer" | "invalid"
  readonly method: string | undefined
  readonly id: Id | undefined
  readonly params: Readonly<Record<string, unknown>>
  readonly result: unknown
}

export interface Messages {
  readonly list: ReadonlyArray<Message>
  readonly isBatch: boolean
}

const kindOf = ({ error, id, jsonrpc, method, params, result }: Readonly<Record<string, unknown>>): Message["kind"] => {
  const hasId = typeof id === "string" || typeof id === "number"
  if (jsonrpc !== "2.0" || (!hasId && id !== undefined)) return "invalid"
  if (method === undefined) return hasId && (result !== undefined || error !== undefined) ? "answer" : "invalid"
  if (typeof method !== "string" || (params !== undefined && !Predicate.isObject(params))) return "invalid"
  return hasId ? "request" : "notification"
}

const messageOf = (value: unknown): Message => {
  const fields = Predicate.isObject(value) ? value : {}
  const { id, method, params, result } = fields
  const kind = kindOf(fields)
  return {
    kind,
    method: kind !== "invalid" && typeof method === "string" ? method : undefined,
    id: typeof id === "string" || typeof id === "number" ? id : undefined,
    params: Predicate.isObject(params) ? params : {},
    result
  }
}

export const isToolCall = ({ method }: Pick<Message, "method">): boolean => method === "tools/call"

/** Only what calls operations has long arguments. */
const mayBeLong = (message: Message): boolean =>
  isToolCall(message) && [tools.use.name, tools.batchUse.name].includes(String(message.params["name"]))

/** The operation that a call of the tool `use` names. */
export const operationIn = (message: Message | undefined): string | undefined => {
  if (message === undefined || !isToolCall(message) || message.params["name"] !== tools.use.name) return undefined
  const given = message.params["arguments"]
  const id = Predicate.isObject(given) ? given["operation_id"] : undefined
  return typeof id === "string" ? id : undefined
}

/** Reads the messages of a body. A body that is not JSON has none. */
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

/** Whether the message calls one of the tools, which count themselves as requests. */
export const callsTool = ({ kind, method, params }: Message): boolean =>
  kind === "request" && isToolCall({ method }) && names.has(String(params["name"]))

/** Whether a message counts as a request of its own. A cancellation must get through when the limit is reached. */
export const isCounted = (message: Message): boolean =>
  message.method !== "notifications/cancelled" && !callsTool(message)
