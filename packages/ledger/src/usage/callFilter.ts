import type { LoggedCallsQuery } from "@tollgate/contract/account/LoggedCall"
import * as Result from "effect/Result"
import type { Dialect } from "../store/Dialect.ts"
import type { Value } from "../store/rows.ts"
import { parseTag, type TagOwner } from "./Query.ts"

/** Where a page of the call log begins. */
export interface Cursor {
  /** Calls that had not ended when the reader began come first. */
  readonly part: "unended" | "ended"
  /** When the reader began. A call belongs to one part by that, whenever it ends. */
  readonly asOf: number
  /** The last call of the page before: its start, or its end if it had ended, and its id. */
  readonly at: number
  readonly id: string
}

/** `asOf` is now, or the end of the newest call if the clock went back. */
export const firstCursor = (asOf: number): Cursor => ({ part: "unended", asOf, at: Number.MAX_SAFE_INTEGER, id: "" })

export const firstEndedCursor = ({ asOf }: Cursor): Cursor => ({ part: "ended", asOf, at: asOf, id: "" })

const shape = /^([ue])(\d{1,16})\.(\d{1,16})\.([\w-]{0,100})$/

/** `undefined`: this gateway wrote no such cursor. */
const parseCursor = (text: string): Cursor | undefined => {
  const [, part, asOf, at, id] = shape.exec(text) ?? []
  if (part === undefined || id === undefined) return undefined
  const cursor: Cursor = { part: part === "u" ? "unended" : "ended", asOf: Number(asOf), at: Number(at), id }
  return Number.isSafeInteger(cursor.asOf) && Number.isSafeInteger(cursor.at) ? cursor : undefined
}

export const formatCursor = ({ asOf, at, id, part }: Cursor): string =>
  `${part === "ended" ? "e" : "u"}${asOf}.${at}.${id}`

const defaultLimit = 100
const longest = 200

/** An expression over a row of `calls` compared with a value. */
type Condition = readonly [column: string, is: "=" | ">=" | "<" | "LIKE", value: Value]

export interface Filter {
  readonly limit: number
  /** `undefined`: the first page. */
  readonly cursor: Cursor | undefined
  readonly since: number | undefined
  /** Calls that began then or later, and earlier than `to`. */
  readonly from: number | undefined
  readonly to: number | undefined
  /** A text that is a request id, perhaps. */
  readonly text: string | undefined
  readonly conditions: ReadonlyArray<Condition>
}

interface Wrong {
  readonly param: keyof LoggedCallsQuery
  readonly message: string
}

const wrong = (param: Wrong["param"], message: string) => Result.fail<Wrong>({ param, message })

const wrongText = `up to ${longest} printable characters are expected`

export const isStorable = (text: string): boolean =>
  text.length <= longest && !/\p{Cc}/u.test(text) && text.isWellFormed()

const equals = ["key", "operation", "model", "state", "cost_state"] as const

/** Of a status, or of a class such as `4xx`. */
const statusOf = (text: string): ReadonlyArray<Condition> => {
  if (!text.endsWith("xx")) return [["status", "=", Number(text)]]
  const from = Number(text[0]) * 100
  return [
    ["status", ">=", from],
    ["status", "<", from + 100]
  ]
}

const ofOwner = ({ key, rootKey }: TagOwner): ReadonlyArray<Condition> => {
  if (rootKey !== undefined) {
    return [["(SELECT COALESCE(k.root_key, k.id) FROM keys k WHERE k.id = calls.key)", "=", rootKey]]
  }
  return key === undefined ? [] : [["key", "=", key]]
}

const tagConditions = ({ sentTag }: Dialect, tag: string): ReadonlyArray<Condition> | undefined => {
  const parsed = parseTag(tag)
  if (parsed === undefined) return undefined
  const column = sentTag(parsed.name)
  // No value is empty.
  return [parsed.value === undefined ? [column, ">=", ""] : [column, "=", parsed.value]]
}

/** What a text is looked for in. */
const searched =
  "LOWER(id || ' ' || operation || ' ' || COALESCE(model, '') || ' ' || key || ' ' || COALESCE(error, '') || ' ' ||" +
  " COALESCE((SELECT k.label FROM keys k WHERE k.id = calls.key), ''))"

/** SQLite knows the lower case of ASCII alone. */
const lowerCase = (text: string): string => text.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase())

/** For `LIKE` with the escape character of `callPages`. */
export const patternOf = (text: string): string => `%${lowerCase(text).replaceAll(/[\\%_]/g, "\\$&")}%`

const containing = (text: string): Condition => [searched, "LIKE", patternOf(text)]

/** Reads a query as its schema allows it, or says what is wrong with it beyond that. */
export const parse = (dialect: Dialect, owner: TagOwner, query: LoggedCallsQuery): Result.Result<Filter, Wrong> => {
  const { before, from, limit = defaultLimit, q, since, status, tag, to } = query
  const cursor = before === undefined ? undefined : parseCursor(before)
  if (before !== undefined && cursor === undefined) return wrong("before", "the `next` of another page is expected")
  const conditions = [...ofOwner(owner)]
  for (const param of equals) {
    const value = query[param]
    if (value === undefined) continue
    if (!isStorable(value)) return wrong(param, wrongText)
    conditions.push([param === "model" ? "COALESCE(model, '')" : param, "=", value])
  }
  const statuses = status === undefined ? [] : statusOf(status)
  const tags = tag === undefined ? [] : tagConditions(dialect, tag)
  if (tags === undefined) return wrong("tag", "a tag like team=search, or the name of one, is expected")
  conditions.push(...statuses, ...tags)
  if (query.failed !== undefined) conditions.push(["failed", "=", 1])
  if (from !== undefined) conditions.push(["created_at", ">=", from])
  if (to !== undefined) conditions.push(["created_at", "<", to])
  const wanted = q?.trim()
  if (wanted === undefined || wanted === "") {
    return Result.succeed({ limit, cursor, since, from, to, text: undefined, conditions })
  }
  if (!isStorable(wanted)) return wrong("q", wrongText)
  // Last: the others leave fewer calls to search.
  conditions.push(containing(wanted))
  return Result.succeed({ limit, cursor, since, from, to, text: wanted, conditions })
}
