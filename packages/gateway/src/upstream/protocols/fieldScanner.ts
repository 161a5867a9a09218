import * as Utf8 from "@tollgate/contract/Utf8"
import {
  comma,
  leftBrace,
  leftBracket,
  quote,
  rightBrace,
  rightBracket,
  skipSpace,
  stringEnd,
  valueEnd,
  valueStart
} from "../../internal/jsonScan.ts"

/** A value to find in a JSON text, and the values to find within it. */
export interface Field<Tag> {
  /** The value is reported under this tag, after the values within it. */
  readonly tag?: Tag
  /** By name. A name that is written with escapes is not found. */
  readonly members?: Readonly<Record<string, Field<Tag>>>
  readonly items?: Field<Tag>
}

type OnField<Tag> = (tag: Tag, start: number, end: number) => void

interface Node<Tag> {
  readonly tag: Tag | undefined
  readonly names: ReadonlyArray<Uint8Array>
  readonly members: ReadonlyArray<Node<Tag>>
  readonly items: Node<Tag> | undefined
}

const nodeOf = <Tag>({ items, members = {}, tag }: Field<Tag>): Node<Tag> => ({
  tag,
  names: Object.keys(members).map(Utf8.encode),
  members: Object.values(members).map(nodeOf),
  items: items === undefined ? undefined : nodeOf(items)
})

const memberAt = <Tag>(node: Node<Tag>, bytes: Uint8Array, from: number, to: number): Node<Tag> | undefined => {
  for (let n = 0; n < node.names.length; n++) {
    const name = node.names[n]
    if (name?.length !== to - from) continue
    let i = 0
    while (i < name.length && bytes[from + i] === name[i]) i++
    if (i === name.length) return node.members[n]
  }
  return undefined
}

/** Returns where the value ends; -1 if it is malformed. Recursion is as deep as the fields, however deep the text is. */
const visit = <Tag>(node: Node<Tag>, bytes: Uint8Array, at: number, to: number, onField: OnField<Tag>): number => {
  const isObject = bytes[at] === leftBrace && node.names.length > 0
  const isArray = bytes[at] === leftBracket && node.items !== undefined
  let end = -1
  if (!isObject && !isArray) end = valueEnd(bytes, at, to)
  else {
    const close = isObject ? rightBrace : rightBracket
    let next = skipSpace(bytes, at + 1, to)
    if (next < to && bytes[next] === close) end = next + 1
    while (end === -1 && next < to) {
      let child = node.items
      if (isObject) {
        const nameEnd = bytes[next] === quote ? stringEnd(bytes, next, to) : -1
        if (nameEnd === -1) return -1
        child = memberAt(node, bytes, next + 1, nameEnd - 1)
        next = valueStart(bytes, nameEnd, to)
        if (next === -1) return -1
      }
      const stop = child === undefined ? valueEnd(bytes, next, to) : visit(child, bytes, next, to, onField)
      if (stop === -1) return -1
      next = skipSpace(bytes, stop, to)
      if (next < to && bytes[next] === close) end = next + 1
      else if (next >= to || bytes[next] !== comma) return -1
      else next = skipSpace(bytes, next + 1, to)
    }
  }
  if (end !== -1 && node.tag !== undefined) onField(node.tag, at, end)
  return end
}

/**
 * Reports the given fields of a JSON text without parsing it, so that a hostile text takes no memory. Returns `false` if the
 * text is malformed; the caller must then discard what was reported.
 */
export const fieldScanner = <Tag>(field: Field<Tag>) => {
  const root = nodeOf(field)
  return (bytes: Uint8Array, from: number, to: number, onField: OnField<Tag>): boolean => {
    const end = visit(root, bytes, skipSpace(bytes, from, to), to, onField)
    return end !== -1 && skipSpace(bytes, end, to) === to
  }
}

const scanners = new Map<string, ReturnType<typeof fieldScanner<"field">>>()

const scannerOf = (field: string) => {
  let scan = scanners.get(field)
  if (scan === undefined) {
    scan = fieldScanner<"field">({ members: { [field]: { tag: "field" } } })
    scanners.set(field, scan)
  }
  return scan
}

const minus = 0x2d
const isDigit = (byte: number | undefined): boolean => byte !== undefined && byte >= 0x30 && byte <= 0x39

/** Whether a field of a JSON object is written as an integer: `200`, not `200.0` or `2e2`, which parse to the same number. */
export const hasInteger = (bytes: Uint8Array, field: string): boolean => {
  let isInteger = false
  const isValid = scannerOf(field)(bytes, 0, bytes.length, (_, start, end) => {
    let at = bytes[start] === minus ? start + 1 : start
    while (at < end && isDigit(bytes[at])) at++
    isInteger = at === end
  })
  return isValid && isInteger
}
