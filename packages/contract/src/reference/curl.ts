import { fill } from "../Names.ts"
import type { Bound } from "../Operation.ts"
import type { Example, Variable } from "./Example.ts"
import { layout } from "./layout.ts"

/** How another operation's first example is found, for those that begin with its answer. */
export type Find = (id: string) => readonly [Bound, Example] | undefined

const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`

/** As it stands in an address; a shell fills a variable in. */
const part = (value: string): string => (value.startsWith("$") ? value : encodeURIComponent(value))

const addressOf = (base: string, { path: template }: Bound, { address, path = {}, query = {} }: Example): string => {
  if (address !== undefined) return `"${address}"`
  const filled = template.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = path[name]
    return value === undefined ? `<${name}>` : part(value)
  })
  const search = Object.entries(query).map(([name, value]) => `${encodeURIComponent(name)}=${part(value)}`)
  const url = base + filled + (search.length === 0 ? "" : `?${search.join("&")}`)
  return /[?&$<>]/.test(url) ? `"${url}"` : url
}

const command = (base: string, operation: Bound, example: Example, flags: string): string => {
  const { access, names, request } = operation
  const headers = Object.entries({
    ...(access === "open" ? {} : { Authorization: "Bearer $TOLLGATE_KEY" }),
    ...(example.body === undefined ? {} : { "Content-Type": "application/json" }),
    ...request.headers,
    ...example.headers
  })
  return [
    `curl${flags} ${addressOf(base, operation, example)}`,
    ...headers.map(([name, value]) => `  -H "${fill(name, names)}: ${value}"`),
    ...(example.body === undefined ? [] : [`  -d ${quoted(layout(example.body, "  "))}`])
  ].join(" \\\n")
}

const assignment = (base: string, find: Find, { is, name }: Variable): string => {
  if ("shell" in is) return `${name}=${is.shell}`
  const [operation, example] = find(is.answerTo) ?? []
  if (operation === undefined || example === undefined) return `${name}='<${name}>'`
  const asked = command(base, operation, example, " -s").replaceAll("\n", "\n  ")
  // Node is there wherever the gateway is.
  const read = quoted(`JSON.parse(require("fs").readFileSync(0)).${is.read}`)
  return `${name}=$(\n  ${asked} |\n    node -p ${read}\n)`
}

/** What to paste into a shell. The last command is the operation's own call, and its output the answer. */
export const curl = (base: string, find: Find, operation: Bound, example: Example): string => {
  const streams = (example.contentType ?? operation.contentType) === "text/event-stream"
  return [
    ...(example.variables ?? []).map((variable) => assignment(base, find, variable)),
    command(base, operation, example, streams ? " -N" : "")
  ].join("\n")
}
