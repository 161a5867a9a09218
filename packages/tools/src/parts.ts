import type { ToolError } from "./shapes.ts"
import { toolError } from "./refusal.ts"

/** The parts of an answer that a caller wants, as a tree. */
interface Part {
  /** What leads here, if the caller wants all of it. */
  path?: string
  readonly names: Map<string, Part>
  items?: { readonly from: number; readonly to: number; readonly each: Part }
}

const step = /(?:^|\.)([^.[\]]+)|\[(?:\*|(\d{0,9})(?:(:)(\d{0,9}))?)\]/y

const empty = (): Part => ({ names: new Map() })

const named = ({ names }: Part, name: string): Part => {
  const known = names.get(name) ?? empty()
  names.set(name, known)
  return known
}

/** Two ranges of the same list become one that has both. */
const listed = (part: Part, from: number, to: number): Part => {
  const { items } = part
  const each = items?.each ?? empty()
  part.items = { from: Math.min(from, items?.from ?? from), to: Math.max(to, items?.to ?? to), each }
  return each
}

const rangeOf = ([, , first = "", colon = "", last = ""]: RegExpExecArray): readonly [from: number, to: number] => {
  const from = Number(first)
  if (colon === "") return first === "" ? [0, Infinity] : [from, from + 1]
  return [from, last === "" ? Infinity : Number(last)]
}

/** Returns false if the path cannot be read. */
const add = (root: Part, path: string): boolean => {
  let part = root
  step.lastIndex = 0
  while (step.lastIndex < path.length) {
    const match = step.exec(path)
    if (match === null) return false
    // All of it is wanted already.
    if (part.path !== undefined) continue
    part = match[1] === undefined ? listed(part, ...rangeOf(match)) : named(part, match[1])
  }
  if (part === root) return false
  part.path ??= path
  return true
}

const pick = (part: Part, value: unknown, found: Set<string>): unknown => {
  if (part.path !== undefined) {
    found.add(part.path)
    return value
  }
  if (Array.isArray(value)) {
    // A path without brackets means every item.
    const { each, from, to } = part.items ?? { from: 0, to: Infinity, each: part }
    const items: ReadonlyArray<unknown> = value.slice(from, to)
    const picked = items.map((item) => pick(each, item, found)).filter((item) => item !== undefined)
    return picked.length === 0 ? undefined : picked
  }
  if (typeof value !== "object" || value === null) return undefined
  const entries = Object.entries(value).flatMap(([name, inner]: [string, unknown]) => {
    const below = part.names.get(name)
    const picked = below === undefined ? undefined : pick(below, inner, found)
    return picked === undefined ? [] : [[name, picked] as const]
  })
  return entries.length === 0 ? undefined : Object.fromEntries(entries)
}

const pathsIn = ({ items, names, path }: Part): ReadonlyArray<string> =>
  path === undefined ? [...names.values(), ...(items === undefined ? [] : [items.each])].flatMap(pathsIn) : [path]

const mostNamed = 20

const namesIn = (value: unknown): string => {
  if (Array.isArray(value)) return `The answer is a list of ${value.length} items, such as [0].`
  const names = typeof value === "object" && value !== null ? Object.keys(value) : []
  const shown = names.slice(0, mostNamed).map((name) => name.slice(0, 100))
  return `It has: ${shown.join(", ")}${names.length > mostNamed ? ", …" : ""}.`
}

export interface Picked {
  readonly value: unknown
  /** What the caller named and the answer does not have. */
  readonly note: string | undefined
}

/** Takes the wanted parts out of a JSON value, which keeps its shape. */
export type Parts = (value: unknown) => Picked

/** What the paths of a caller name, such as `data.items[].id` or `items[20:40]`. */
export const partsOf = (paths: ReadonlyArray<string>): Parts | ToolError => {
  const root = empty()
  const wrong = paths.find((path) => !add(root, path))
  if (wrong !== undefined) {
    const message = `fields: ${JSON.stringify(wrong)} is not a path.`
    const advice = "Write names with dots, and [] after a list: data.items[].id, or items[20:40] for some of the items."
    return toolError("invalid_arguments", message, advice, "fields")
  }
  const all = pathsIn(root)
  return (value) => {
    const found = new Set<string>()
    const picked = pick(root, value, found)
    const missing = all.filter((path) => !found.has(path))
    return {
      value: picked ?? (Array.isArray(value) ? [] : {}),
      note: missing.length === 0 ? undefined : `The answer does not have ${missing.join(", ")}. ${namesIn(value)}`
    }
  }
}
