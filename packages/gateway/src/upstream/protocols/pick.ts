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

/** What is looked for in a JSON text, by where it stands. */
export interface Place<Mark> {
  /** What a value that stands here is reported as, after all that stands within it. */
  readonly mark?: Mark
  /** By their names, as those are written without escapes. */
  readonly members?: Readonly<Record<string, Place<Mark>>>
  readonly items?: Place<Mark>
}

type Found<Mark> = (mark: Mark, start: number, end: number) => void

interface Node<Mark> {
  readonly mark: Mark | undefined
  readonly names: ReadonlyArray<Uint8Array>
  readonly members: ReadonlyArray<Node<Mark>>
  readonly items: Node<Mark> | undefined
}

const nodeOf = <Mark>({ items, mark, members = {} }: Place<Mark>): Node<Mark> => ({
  mark,
  names: Object.keys(members).map(Utf8.encode),
  members: Object.values(members).map(nodeOf),
  items: items === undefined ? undefined : nodeOf(items)
})

const memberAt = <Mark>(node: Node<Mark>, bytes: Uint8Array, from: number, to: number): Node<Mark> | undefined => {
  for (let n = 0; n < node.names.length; n++) {
    const name = node.names[n]
    if (name?.length !== to - from) continue
    let i = 0
    while (i < name.length && bytes[from + i] === name[i]) i++
    if (i === name.length) return node.members[n]
  }
  return undefined
}

/** Where the value ends; -1 where it is not well formed. Recurses as a place does, which is not as deep as a text may be. */
const visit = <Mark>(node: Node<Mark>, bytes: Uint8Array, at: number, to: number, found: Found<Mark>): number => {
  const isObject = bytes[at] === leftBrace && node.names.length > 0
  const isArray = bytes[at] === leftBracket && node.items !== undefined
  let end = -1
  if (!isObject && !isArray) end = valueEnd(bytes, at, to)
  else {
    const close = isObject ? rightBrace : rightBracket
    let next = skipSpace(bytes, at + 1, to)
    if (next < to && bytes[next] === close) end = next + 1
    while (end === -1 && next < to) {
      let place = node.items
      if (isObject) {
        const nameEnd = bytes[next] === quote ? stringEnd(bytes, next, to) : -1
        if (nameEnd === -1) return -1
        place = memberAt(node, bytes, next + 1, nameEnd - 1)
        next = valueStart(bytes, nameEnd, to)
        if (next === -1) return -1
      }
      const stop = place === undefined ? valueEnd(bytes, next, to) : visit(place, bytes, next, to, found)
      if (stop === -1) return -1
      next = skipSpace(bytes, stop, to)
      if (next < to && bytes[next] === close) end = next + 1
      else if (next >= to || bytes[next] !== comma) return -1
      else next = skipSpace(bytes, next + 1, to)
    }
  }
  if (end !== -1 && node.mark !== undefined) found(node.mark, at, end)
  return end
}

/**
 * Reports the values that stand at known places in a JSON text, without making a value of the text, so that a hostile one
 * takes no memory. Answers whether the text was whole; what was reported is not to be trusted before that.
 */
export const picker = <Mark>(place: Place<Mark>) => {
  const root = nodeOf(place)
  return (bytes: Uint8Array, from: number, to: number, found: Found<Mark>): boolean => {
    const end = visit(root, bytes, skipSpace(bytes, from, to), to, found)
    return end !== -1 && skipSpace(bytes, end, to) === to
  }
}
