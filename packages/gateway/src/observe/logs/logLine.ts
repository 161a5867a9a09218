import { redact } from "../trace/Span.ts"
import type { LogEntry } from "./LogEntry.ts"

export type LogFormat = "json" | "readable"

/** A longer text is cut, and of more fields the rest is left out. So a line has a bound. */
const longestText = 1_024
const mostFields = 40

/** Line separators and terminal control characters that JSON leaves as they are. */
const unsafe = /[\u007f-\u009f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069\ufeff]/g

const escaped = (text: string): string =>
  JSON.stringify(text).replaceAll(unsafe, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, "0")}`)

const bounded = (text: string): string => redact(text.length > longestText ? `${text.slice(0, longestText)}…` : text)

/** The value as JSON, or `undefined` if there is none. An object becomes text: only tags nest. */
const valueOf = (value: unknown): string | undefined => {
  switch (typeof value) {
    case "undefined":
    case "function":
    case "symbol":
      return undefined
    case "boolean":
    case "bigint":
      return String(value)
    case "number":
      return Number.isFinite(value) ? String(value) : escaped(String(value))
    case "string":
      return escaped(bounded(value))
    case "object":
      return value === null ? "null" : escaped(bounded(textOf(value)))
  }
}

const textOf = (value: object): string => {
  try {
    return (
      JSON.stringify(value, (_, part: unknown) => (typeof part === "bigint" ? String(part) : part)) ?? String(value)
    )
  } catch {
    return Object.prototype.toString.call(value)
  }
}

const own = new Set(["time", "level", "message"])

const objectOf = (tags: Readonly<Record<string, string>>): string => {
  const members = Object.entries(tags).slice(0, mostFields)
  return `{${members.map(([name, value]) => `${escaped(bounded(name))}:${escaped(bounded(value))}`).join(",")}}`
}

const fieldsOf = ({ fields, tags }: LogEntry): ReadonlyArray<readonly [string, string]> => {
  const found = Object.entries(fields)
    .slice(0, mostFields)
    .flatMap(([name, value]) => {
      const text = own.has(name) ? undefined : valueOf(value)
      return text === undefined ? [] : [[name, text] as const]
    })
  return tags === undefined ? found : [...found, ["tags", objectOf(tags)]]
}

const json = (entry: LogEntry): string => {
  const { at, level, message } = entry
  const fields = fieldsOf(entry).map(([name, value]) => `,${escaped(bounded(name))}:${value}`)
  const head = `{"time":"${at.toISOString()}","level":"${level.toLowerCase()}","message":${escaped(bounded(message))}`
  return `${head}${fields.join("")}}\n`
}

/** Quotes are left out where nothing can be misread. */
const plain = (value: string): string => {
  const text = value.slice(1, -1)
  return value.startsWith('"') && /^[\w.:/@+-]+$/.test(text) ? text : value
}

const readable = (entry: LogEntry): string => {
  const { at, level, message } = entry
  const fields = fieldsOf(entry).map(([name, value]) => ` ${plain(escaped(bounded(name)))}=${plain(value)}`)
  const text = escaped(bounded(message)).slice(1, -1)
  return `${at.toISOString()} ${level.toUpperCase().padEnd(5)} ${text}${fields.join("")}\n`
}

/** One line, whatever is in the entry. */
export const lineOf = (format: LogFormat, entry: LogEntry): string =>
  format === "json" ? json(entry) : readable(entry)
