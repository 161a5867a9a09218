import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { fill } from "../Names.ts"
import type { Bound } from "../Operation.ts"
import { type Example, type Variable, variableIn } from "./Example.ts"
import { layout } from "./words.ts"
import { pairsOf, type QueryPair } from "../QueryStyle.ts"
import { multipartType } from "../Upload.ts"

/** Finds an operation and its first example, for variables that come from its answer. */
export type Find = (id: string) => readonly [Bound, Example] | undefined

const shellQuote = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`

/** Leaves no character that a shell reads. */
const urlEncoded = (text: string): string =>
  encodeURIComponent(text).replace(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`)

/** The operator's name of a parameter; examples name a pending one by its role. */
const parameterName = ({ parameters, pending }: Bound, name: string): string =>
  (pending.some((part) => part.open === "parameter" && part.role === name) ? parameters[name] : undefined) ?? name

/** Of a styled parameter the example has a text that its schema reads. */
const queryPairs = ({ request: { query: schema, styles } }: Bound, query: Values): ReadonlyArray<QueryPair> => {
  if (schema === undefined || styles === undefined) return Object.entries(query)
  const decoded = Schema.decodeUnknownResult(schema as Schema.ConstraintDecoder<unknown>)(query)
  const values = Result.isSuccess(decoded) ? (decoded.success as Readonly<Record<string, unknown>>) : {}
  return Object.entries(query).flatMap(([name, text]): ReadonlyArray<QueryPair> => {
    const style = Object.hasOwn(styles, name) ? styles[name] : undefined
    return style === undefined ? [[name, text]] : pairsOf(name, values[name] ?? text, style)
  })
}

const addressOf = (base: string, operation: Bound, example: Example): string => {
  const { address, path = {}, query = {} } = example
  if (address !== undefined) return `"${address}"`
  // The shell fills variables in.
  const urlPart = (value: string): string => (variableIn(example, value) === undefined ? urlEncoded(value) : value)
  const filled = operation.path.replace(/\{([^}]+)\}/g, (_, name: string) => {
    const value = path[name]
    return value === undefined ? `<${name}>` : urlPart(value)
  })
  const search = queryPairs(operation, query).map(
    ([name, value]) => `${urlEncoded(parameterName(operation, name))}=${urlPart(value)}`
  )
  const url = base + filled + (search.length === 0 ? "" : `?${search.join("&")}`)
  return /[?&$<>]/.test(url) ? `"${url}"` : url
}

/** What a shell reads between double quotes is kept from it. */
const escaped = (text: string): string => text.replaceAll(/["$\\`]/g, "\\$&")

/** curl sends a POST if there is a body, and else a GET. */
const methodFlag = ({ method }: Bound, { body }: Example): string =>
  method === (body === undefined ? "GET" : "POST") ? "" : ` -X ${method}`

/** The name of a file, if the value is one. A shell reads the file itself. */
const filenameOf = (value: unknown): string | undefined =>
  Predicate.isObject(value) && "base64" in value
    ? "filename" in value && typeof value.filename === "string"
      ? value.filename
      : "file"
    : undefined

const formFlag = (name: string, value: unknown): string => {
  const filename = filenameOf(value)
  if (filename !== undefined) return `  -F ${shellQuote(`${name}=@"${filename.replaceAll(/["\\]/g, "_")}"`)}`
  return typeof value === "object"
    ? `  -F ${shellQuote(`${name}=${JSON.stringify(value)};type=application/json`)}`
    : `  --form-string ${shellQuote(`${name}=${String(value)}`)}`
}

const bodyFlags = ({ request: { bodyType } }: Bound, body: unknown): ReadonlyArray<string> => {
  if (body === undefined) return []
  if (bodyType === undefined) return [`  -d ${shellQuote(layout(body, "  "))}`]
  if (bodyType !== multipartType) return [`  --data-binary ${shellQuote(`@${filenameOf(body) ?? "file"}`)}`]
  return Object.entries(body as object).flatMap(([name, value]: readonly [string, unknown]) =>
    (Array.isArray(value) ? (value as ReadonlyArray<unknown>) : [value]).map((item) => formFlag(name, item))
  )
}

type Values = Readonly<Record<string, string>>

const command = (base: string, operation: Bound, example: Example, flags: string, own: Values = {}): string => {
  const { access, names, request } = operation
  const { bodyType } = request
  const headers = Object.entries({
    ...(access === "open" ? {} : { Authorization: "Bearer $TOLLGATE_KEY" }),
    ...(example.body === undefined || bodyType === multipartType
      ? {}
      : { "Content-Type": bodyType?.replace(/^.*\*$/, "application/octet-stream") ?? "application/json" }),
    ...request.headers,
    ...example.headers
  })
  return [
    `curl${flags}${methodFlag(operation, example)} ${addressOf(base, operation, example)}`,
    ...headers.map(([name, value]) => `  -H "${fill(name, names)}: ${value}"`),
    ...Object.entries({ ...example.header, ...own }).map(([name, value]) => `  -H "${name}: ${escaped(value)}"`),
    ...bodyFlags(operation, example.body)
  ].join(" \\\n")
}

const assignment = (base: string, find: Find, { name, source }: Variable): string => {
  if ("shell" in source) return `${name}=${source.shell}`
  const [operation, example] = find(source.answerTo) ?? []
  if (operation === undefined || example === undefined) return `${name}='<${name}>'`
  const call = command(base, operation, example, " -s").replaceAll("\n", "\n  ")
  // Node is installed wherever the gateway runs.
  const read = shellQuote(`JSON.parse(require("fs").readFileSync(0)).${source.read}`)
  return `${name}=$(\n  ${call} |\n    node -p ${read}\n)`
}

/** Commands to paste into a shell. The last one calls the operation, with headers of its own, and prints its answer. */
export const curl = (base: string, find: Find, operation: Bound, example: Example, own: Values = {}): string => {
  const streams = (example.contentType ?? operation.contentType) === "text/event-stream"
  const flags = streams ? " -N" : operation.bytes === "always" ? " --output answer" : ""
  return [
    ...(example.variables ?? []).map((variable) => assignment(base, find, variable)),
    command(base, operation, example, flags, own)
  ].join("\n")
}
