import type { Unpriced } from "@tollgate/contract/price/PriceContract"
import * as Predicate from "effect/Predicate"
import type { Decoded } from "../../exchange/Exchange.ts"
import { set, textStart, without } from "../../internal/jsonEdit.ts"

type Body = Readonly<Record<string, unknown>>

const omit = (value: Body, name: string): Body =>
  Object.fromEntries(Object.entries(value).filter(([field]) => field !== name))

/** The tools without those at these places, or without fields of them. Each tool is read once, however many of its fields go. */
const withoutTools = (tools: ReadonlyArray<unknown>, gone: ReadonlyArray<Unpriced>): ReadonlyArray<unknown> => {
  const byPlace = new Map<number, Set<string | undefined>>()
  for (const { at } of gone) {
    const [, place, field] = at
    const fields = byPlace.get(Number(place)) ?? new Set()
    byPlace.set(Number(place), fields.add(field))
  }
  return tools.flatMap((tool, i) => {
    const fields = byPlace.get(i)
    if (fields === undefined) return [tool]
    if (fields.has(undefined) || !Predicate.isObject(tool)) return []
    const rest = Object.entries(tool).filter(([name]) => !fields.has(name))
    return rest.length === 0 ? [] : [Object.fromEntries(rest)]
  })
}

/** `undefined`: a tool is too deep. */
const writtenTools = (tools: ReadonlyArray<unknown>): string | undefined => {
  try {
    return JSON.stringify(tools)
  } catch {
    return undefined
  }
}

const isTool = ({ at }: Unpriced): boolean => at[0] === "tools" && (at.length === 2 || at.length === 3)

/** The request without these fields. `undefined`: one of them cannot be taken out. */
export const withoutFields = (exchange: Decoded, fields: ReadonlyArray<Unpriced>): Decoded | undefined => {
  const { input } = exchange
  if (!Predicate.isObject(input.body)) return undefined
  let body = input.body as Body
  let bytes: Uint8Array = exchange.bytes
  for (const { at, isModel } of fields.filter((field) => !isTool(field))) {
    const [name] = at
    if (isModel === true || at.length !== 1 || name === undefined) return undefined
    const rest = without(name)(bytes, textStart(bytes), bytes.length)
    if (rest === undefined) return undefined
    bytes = rest
    body = omit(body, name)
  }
  const gone = fields.filter(isTool)
  const tools = body["tools"]
  if (gone.length > 0) {
    if (!Array.isArray(tools)) return undefined
    const some = withoutTools(tools, gone)
    body = some.length === 0 ? omit(body, "tools") : { ...body, tools: some }
    const text = writtenTools(some)
    if (text === undefined) return undefined
    const rest =
      some.length === 0 ? without("tools")(bytes, textStart(bytes), bytes.length) : set(bytes, ["tools"], text)
    if (rest === undefined) return undefined
    bytes = rest
  }
  return { ...exchange, bytes, input: { ...input, body } }
}
