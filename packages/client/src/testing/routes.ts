import type { Outgoing } from "@tollgate/contract/carrier/Carrier"
import type { Bound } from "@tollgate/contract/Operation"
import { parts } from "@tollgate/contract/Operation"
import * as Utf8 from "@tollgate/contract/Utf8"
import * as Schema from "effect/Schema"

type Parameters = Readonly<Record<string, string>>

const escape = (literal: string): string => literal.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")

const pathIn = ({ path }: Bound, requested: string): Parameters | undefined => {
  const names: Array<string> = []
  const source = path
    .split(/(\{[^}]+\})/)
    .map((part) => (part.startsWith("{") ? (names.push(part.slice(1, -1)), "([^/]+?)") : escape(part)))
    .join("")
  const values = new RegExp(`^${source}$`).exec(requested)
  if (values === null) return undefined
  return Object.fromEntries(names.map((name, i) => [name, decodeURIComponent(values[i + 1] ?? "")]))
}

const queryIn = (query: string): Parameters =>
  Object.fromEntries(
    query
      .split("&")
      .filter((pair) => pair !== "")
      .map((pair) => pair.split("=", 2).map(decodeURIComponent) as [string, string])
  )

const decode = (schema: Schema.Constraint, value: unknown): unknown =>
  Schema.decodeUnknownSync(schema as Schema.ConstraintDecoder<unknown>)(value)

interface Routed {
  readonly bound: Bound
  /** The caller's input. */
  readonly input: unknown
  readonly body: unknown
}

/** Finds the operation of a request and decodes its input. */
export const route = (operations: Iterable<Bound>, { body, headers, method, path }: Outgoing): Routed | undefined => {
  const at = path.indexOf("?")
  const [pathname, query] = at === -1 ? [path, ""] : [path.slice(0, at), path.slice(at + 1)]
  for (const bound of operations) {
    const inPath = bound.method === method ? pathIn(bound, pathname) : undefined
    if (inPath === undefined) continue
    const json: unknown = body === undefined ? undefined : JSON.parse(Utf8.decode(body))
    const wire = { path: inPath, query: queryIn(query), header: headers, body: json }
    const present = parts.filter((part) => bound.request[part] !== undefined)
    const decoded = Object.fromEntries(
      present.map((part) => [part, decode(bound.request[part] as Schema.Constraint, wire[part])])
    )
    return { bound, body: json, input: present.length > 1 ? decoded : decoded[present[0] ?? ""] }
  }
  return undefined
}
