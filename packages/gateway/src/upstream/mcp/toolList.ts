import { LimitError, McpClientError, ProtocolError } from "effect/ai/McpClientError"
import type { Transport } from "effect/ai/McpClient"
import { Tool } from "effect/ai/McpSchema"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import { getPath } from "../../internal/jsonValue.ts"

const mostPages = 100
const mostTools = 10_000
/** In characters, written as JSON. */
const longestList = 16 * 1024 * 1024

export const protocolError = (description: string, code?: number) =>
  new McpClientError({ reason: new ProtocolError({ description, ...(code === undefined ? {} : { code }) }) })

const fail = (description: string) => Effect.fail(new McpClientError({ reason: new LimitError({ description }) }))

/**
 * Reads the tools as the server describes them, and sorts them page by page, so that others are served in between. Effect's client
 * refuses the whole list over one bad tool.
 */
export const readPages = Effect.fnUntraced(function* (
  { isCallable, request }: Transport,
  nextId: () => number,
  meta: Readonly<Record<string, unknown>>
) {
  const sorted = sorting(isCallable)
  let count = 0
  let length = 0
  let cursor: string | undefined
  for (let page = 0; page < mostPages; page++) {
    const params = { ...(cursor === undefined ? {} : { cursor }), _meta: meta }
    const response = yield* request({ jsonrpc: "2.0" as const, id: nextId(), method: "tools/list", params })
    if ("error" in response) return yield* protocolError(response.error.message, response.error.code)
    const listed = getPath(response.result, "tools")
    if (!Array.isArray(listed)) return yield* fail("it lists no tools")
    count += listed.length
    if (count > mostTools) return yield* fail(`it has more than ${mostTools} tools`)
    length += JSON.stringify(listed).length
    if (length > longestList) return yield* fail("its list of tools is too long")
    sorted.add(listed)
    const next = getPath(response.result, "nextCursor")
    if (typeof next !== "string") return sorted
    cursor = next
  }
  return yield* fail(`its list has more than ${mostPages} pages`)
})

const maxName = 256
const deepest = 100

const isDeep = (root: unknown): boolean => {
  let level: ReadonlyArray<unknown> = [root]
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > deepest) return true
    level = level.flatMap((value) => (typeof value === "object" && value !== null ? Object.values(value) : []))
  }
  return false
}

/** Controls, formats such as a change of direction, and halves of characters. */
const hidden = /[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]/u

const decode = Schema.decodeUnknownOption(Tool)

export interface UsableTool {
  readonly name: string
  readonly tool: Tool
  /** All that the server says of it. */
  readonly described: Readonly<Record<string, unknown>>
}

export interface LeftOutTool {
  /** Its name, or its position in the list. */
  readonly name: string
  readonly reason: string
}

const toolOf = (described: unknown, isCallable: Transport["isCallable"]): UsableTool | string => {
  if (!Predicate.isObject(described) || Array.isArray(described)) return "is not a tool"
  const { inputSchema, name } = described
  if (typeof name !== "string" || name.trim() !== name || name === "" || name.length > maxName) {
    return "has no usable name"
  }
  if (hidden.test(name)) return "has hidden characters in its name"
  if (getPath(described, "execution", "taskSupport") === "required") {
    return "runs only as a task, which the gateway does not begin"
  }
  if (!Predicate.isObject(inputSchema) || Array.isArray(inputSchema)) return "does not describe its arguments"
  const { type = "object" } = inputSchema
  if (type !== "object") return "takes arguments that are not an object"
  if (isDeep(described)) return `has schemas that are nested deeper than ${deepest} levels`
  const tool = Option.getOrUndefined(decode({ name, inputSchema: { ...inputSchema, type } }))
  if (tool === undefined) return "describes its arguments by an invalid schema"
  return isCallable(tool) ? { name, tool, described } : "wants arguments in headers that it describes wrongly"
}

const shownLength = 100

/** Tells the tools that can be called from the others, so that a bad one does not keep the rest from being called. */
const sorting = (isCallable: Transport["isCallable"]) => {
  const usable = new Map<string, UsableTool>()
  const leftOut: Array<LeftOutTool> = []
  const addTool = (described: unknown) => {
    const read = toolOf(described, isCallable)
    if (typeof read !== "string" && !usable.has(read.name)) return void usable.set(read.name, read)
    const name = getPath(described, "name")
    const position = usable.size + leftOut.length
    leftOut.push({
      name: typeof name === "string" && name !== "" ? name.slice(0, shownLength).toWellFormed() : String(position),
      reason: typeof read === "string" ? read : "is listed twice"
    })
  }
  return { usable, leftOut, add: (listed: ReadonlyArray<unknown>) => listed.forEach(addTool) }
}

export const sortTools = (listed: ReadonlyArray<unknown>, isCallable: Transport["isCallable"]) => {
  const sorted = sorting(isCallable)
  sorted.add(listed)
  return sorted
}
