import * as Predicate from "effect/Predicate"
import { type Edit, findNodeAtLocation, type Node, parseTree } from "jsonc-parser"
import { isDeepStrictEqual } from "node:util"

type Path = ReadonlyArray<string>

/** A value to add, with its key if it is added to an object. */
type Entry = readonly [key: string | undefined, value: unknown]

interface Changes {
  readonly replaced: Array<{ readonly path: Path; readonly value: unknown }>
  readonly added: Array<{ readonly path: Path; readonly entries: ReadonlyArray<Entry> }>
  readonly removed: Array<{ readonly path: Path; readonly keys: ReadonlySet<string> }>
}

/** What differs, as deep inside as possible: what is not touched keeps its comments. */
const collect = (before: unknown, after: unknown, path: Path, into: Changes): Changes => {
  if (isDeepStrictEqual(before, after)) return into
  if (Array.isArray(before) && Array.isArray(after) && isDeepStrictEqual(before, after.slice(0, before.length))) {
    into.added.push({ path, entries: after.slice(before.length).map((value): Entry => [undefined, value]) })
    return into
  }
  if (!Predicate.isObject(before) || !Predicate.isObject(after)) {
    into.replaced.push({ path, value: after })
    return into
  }
  const keys = new Set(Object.keys(before).filter((key) => !Object.hasOwn(after, key)))
  if (keys.size > 0) into.removed.push({ path, keys })
  const entries = Object.entries(after).filter(([key]) => !Object.hasOwn(before, key))
  if (entries.length > 0) into.added.push({ path, entries })
  for (const [key, value] of Object.entries(after)) {
    if (Object.hasOwn(before, key)) collect(before[key], value, [...path, key], into)
  }
  return into
}

const layoutOf = (text: string) => ({
  eol: text.includes("\r\n") ? "\r\n" : "\n",
  unit: /^[\t ]+(?=["/])/m.exec(text)?.[0] ?? "  "
})

const indentAt = (text: string, offset: number): string => {
  const start = text.lastIndexOf("\n", offset - 1) + 1
  return /^[\t ]*/.exec(text.slice(start, offset))?.[0] ?? ""
}

const written = (value: unknown, text: string, indent: string): string => {
  const { eol, unit } = layoutOf(text)
  return JSON.stringify(value, null, unit).replaceAll("\n", eol + indent)
}

const blockComment = /\/\*[^]*?\*\//g

/** Where the line of the last value ends: after its comma and a comment that follows on the same line. */
const afterLast = (text: string, end: number): { readonly hasComma: boolean; readonly at: number } => {
  const rest = /^(?:[\t ,]|\/\*[^]*?\*\/)*/.exec(text.slice(end))?.[0] ?? ""
  const comment = /^\/\/[^\r\n]*/.exec(text.slice(end + rest.length))?.[0] ?? ""
  return { hasComma: rest.replaceAll(blockComment, "").includes(","), at: end + (rest + comment).trimEnd().length }
}

const keyOf = (key: string | undefined): string => (key === undefined ? "" : `${JSON.stringify(key)}: `)

const additions = (text: string, parent: Node, entries: ReadonlyArray<Entry>): Array<Edit> => {
  const { eol, unit } = layoutOf(text)
  const last = parent.children?.at(-1)
  const close = parent.offset + parent.length - 1
  const line =
    (indent: string) =>
    ([key, value]: Entry) =>
      `${eol}${indent}${keyOf(key)}${written(value, text, indent)}`
  if (last === undefined) {
    const outer = indentAt(text, parent.offset)
    const inside = text.slice(parent.offset + 1, close)
    const offset = inside.trim() === "" ? parent.offset + 1 : close
    return [{ offset, length: close - offset, content: `${entries.map(line(outer + unit)).join(",")}${eol}${outer}` }]
  }
  const end = last.offset + last.length
  if (!text.slice(parent.offset, last.offset).includes("\n")) {
    const inline = entries.map(([key, value]) => `, ${keyOf(key)}${JSON.stringify(value)}`)
    return [{ offset: end, length: 0, content: inline.join("") }]
  }
  const { at, hasComma } = afterLast(text, end)
  const content = entries.map(line(indentAt(text, last.offset))).join(",")
  return [
    ...(hasComma ? [] : [{ offset: end, length: 0, content: "," }]),
    { offset: at, length: 0, content: hasComma ? `${content},` : content }
  ]
}

/** At one place, the first edit comes first. */
const applied = (text: string, edits: ReadonlyArray<Edit>): string => {
  const parts: Array<string> = []
  let at = 0
  for (const { content, length, offset } of edits.toSorted((a, b) => a.offset - b.offset)) {
    parts.push(text.slice(at, offset), content)
    at = offset + length
  }
  return parts.join("") + text.slice(at)
}

const commaAfter = (text: string, end: number): number =>
  end + (/^(?:\s|\/\*[^]*?\*\/|\/\/[^\r\n]*)*/.exec(text.slice(end))?.[0].length ?? 0)

/** A property goes with its comma and the comment behind it, and with its line if nothing else is there. */
const removals = (text: string, { children = [] }: Node, keys: ReadonlySet<string>): Array<Edit> => {
  const isGone = ({ children: [key] = [] }: Node) => keys.has(String(key?.value))
  const gone = children.filter(isGone).map((node): Edit => {
    const { at } = afterLast(text, node.offset + node.length)
    const isLine = /^(?:\r?\n|$)/.test(text.slice(at, at + 2))
    const offset = isLine ? text.slice(0, node.offset).trimEnd().length : node.offset
    return { offset, length: at - offset, content: "" }
  })
  const last = children.at(-1)
  const kept = children.filter((node) => !isGone(node)).at(-1)
  if (last === undefined || kept === undefined || !isGone(last)) return gone
  if (afterLast(text, last.offset + last.length).hasComma) return gone
  return [...gone, { offset: commaAfter(text, kept.offset + kept.length), length: 1, content: "" }]
}

/** The edits for each change, at the place that it has in the text. */
const editsFor = <A extends { readonly path: Path }>(
  text: string,
  key: string,
  changes: ReadonlyArray<A>,
  edits: (node: Node, change: A) => ReadonlyArray<Edit>
): ReadonlyArray<Edit> => {
  const root = parseTree(text, [], { allowTrailingComma: true })
  return changes.flatMap((change) => {
    const node = root && findNodeAtLocation(root, [key, ...change.path])
    return node === undefined ? [] : edits(node, change)
  })
}

/** Replaces a section in a valid text. What is not replaced or removed keeps its comments, order and layout. */
export const replaceSection = (text: string, key: string, before: unknown, after: unknown): string => {
  if (before === undefined) {
    const root = parseTree(text, [], { allowTrailingComma: true })
    return root === undefined ? text : applied(text, additions(text, root, [[key, after]]))
  }
  const { added, removed, replaced } = collect(before, after, [], { replaced: [], added: [], removed: [] })
  const less = applied(
    text,
    editsFor(text, key, removed, (node, { keys }) => removals(text, node, keys))
  )
  return applied(less, [
    ...editsFor(less, key, replaced, ({ length, offset }, { value }) => [
      { offset, length, content: written(value, less, indentAt(less, offset)) }
    ]),
    ...editsFor(less, key, added, (node, { entries }) => additions(less, node, entries))
  ])
}
