import { attempt } from "@tollgate/contract/attempt"
import type { Bound } from "@tollgate/contract/Operation"
import { familyOf } from "@tollgate/contract/errors/families"
import type { Match, Request } from "../../exchange/Exchange.ts"
import { hasDotSegment } from "../../internal/query.ts"
import { isFree } from "@tollgate/contract/price/Price"
import type { PriceBook } from "../../exchange/Prices.ts"

interface SegmentPattern {
  /** Equal for segments that match the same text, whatever their parameters are called. */
  readonly shape: string
  /** The text itself, if the segment has no parameter. */
  readonly literal: string | undefined
  /** The names of its parameters, in order. */
  readonly names: ReadonlyArray<string>
  /** How much of the segment is fixed text. */
  readonly fixed: number
  /** The values of the parameters, as written. `undefined`: the segment does not match. */
  readonly values: (segment: string) => ReadonlyArray<string> | undefined
}

/**
 * More fixed text comes first, then more parameters, which need a character each. Shapes that still tie are in the order of
 * their text, so that a match does not depend on the order of the patterns.
 */
const bySpecificity = (a: SegmentPattern, b: SegmentPattern): number =>
  b.fixed - a.fixed || b.names.length - a.names.length || (a.shape < b.shape ? -1 : a.shape > b.shape ? 1 : 0)

/** Each parameter takes as little as it can, but a character at least. Linear: what a match needs follows from the left. */
const valuesBetween =
  (texts: ReadonlyArray<string>): SegmentPattern["values"] =>
  (segment) => {
    const first = texts[0] ?? ""
    const last = texts.at(-1) ?? ""
    const end = segment.length - last.length
    if (!segment.startsWith(first) || !segment.endsWith(last)) return undefined
    const values: Array<string> = []
    let from = first.length
    for (let i = 1; i < texts.length - 1; i++) {
      const text = texts[i] ?? ""
      const at = segment.indexOf(text, from + 1)
      if (at === -1) return undefined
      values.push(segment.slice(from, at))
      from = at + text.length
    }
    if (from >= end) return undefined
    values.push(segment.slice(from, end))
    return values
  }

const segmentOf = (texts: ReadonlyArray<string>, names: ReadonlyArray<string>): SegmentPattern => {
  const text = texts.join("{}")
  return {
    shape: text,
    literal: names.length === 0 ? text : undefined,
    names,
    fixed: texts.reduce((sum, text) => sum + text.length, 0),
    values: valuesBetween(texts)
  }
}

/** The segments of a path such as `/v1/models/{model}:generateContent`, with an empty one first. */
const segmentsOf = (path: string): ReadonlyArray<SegmentPattern> => {
  const segments: Array<SegmentPattern> = []
  let texts = [""]
  let names: Array<string> = []
  path.split(/\{([^}]+)\}/).forEach((part, i) => {
    if (i % 2 === 1) {
      names.push(part)
      texts.push("")
      return
    }
    const [first = "", ...more] = part.split("/")
    texts[texts.length - 1] += first
    for (const text of more) {
      segments.push(segmentOf(texts, names))
      texts = [text]
      names = []
    }
  })
  segments.push(segmentOf(texts, names))
  return segments
}

interface Branch<Leaf> {
  readonly segment: SegmentPattern
  readonly node: Node<Leaf>
}

/** What may follow a prefix of segments. */
interface Node<Leaf> {
  readonly literals: Map<string, Node<Leaf>>
  /** Segments with a parameter, the most specific first. */
  readonly branches: Array<Branch<Leaf>>
  leaf: Leaf | undefined
}

const emptyNode = <Leaf>(): Node<Leaf> => ({ literals: new Map(), branches: [], leaf: undefined })

/** Path patterns as a tree of their segments, so that a path is compared with few of them. */
class PathTree<Leaf> {
  readonly #root: Node<Leaf> = emptyNode()

  /** The leaf of the pattern, which `make` makes if no pattern has this shape yet, and the names of its parameters. */
  add(path: string, make: (names: ReadonlyArray<string>) => Leaf): { leaf: Leaf; names: ReadonlyArray<string> } {
    const segments = segmentsOf(path)
    const names = segments.flatMap((segment) => segment.names)
    const node = segments.reduce(childOf, this.#root)
    return { leaf: (node.leaf ??= make(names)), names }
  }

  /** The leaf of the most specific pattern, read from the left, and the values of its parameters as written. */
  find(path: string): { readonly leaf: Leaf; readonly values: ReadonlyArray<string> } | undefined {
    const values: Array<string> = []
    const leaf = findIn(this.#root, path, 0, values)
    return leaf === undefined ? undefined : { leaf, values }
  }
}

const childOf = <Leaf>(node: Node<Leaf>, segment: SegmentPattern): Node<Leaf> => {
  const { literal } = segment
  if (literal !== undefined) {
    const child = node.literals.get(literal) ?? emptyNode<Leaf>()
    node.literals.set(literal, child)
    return child
  }
  const known = node.branches.find((branch) => branch.segment.shape === segment.shape)
  if (known !== undefined) return known.node
  const branch = { segment, node: emptyNode<Leaf>() }
  const at = node.branches.findIndex((other) => bySpecificity(segment, other.segment) < 0)
  node.branches.splice(at === -1 ? node.branches.length : at, 0, branch)
  return branch.node
}

/** Visits a node once at most: no two ways lead to it. */
const findIn = <Leaf>(node: Node<Leaf>, path: string, from: number, values: Array<string>): Leaf | undefined => {
  if (from > path.length) return node.leaf
  const slash = path.indexOf("/", from)
  const to = slash === -1 ? path.length : slash
  const text = path.slice(from, to)
  const literal = node.literals.get(text)
  const found = literal === undefined ? undefined : findIn(literal, path, to + 1, values)
  if (found !== undefined) return found
  const { length } = values
  for (const branch of node.branches) {
    const own = branch.segment.values(text)
    if (own === undefined) continue
    values.push(...own)
    const found = findIn(branch.node, path, to + 1, values)
    if (found !== undefined) return found
    values.length = length
  }
  return undefined
}

/**
 * Whether a HEAD of this path is carried out as a GET: if that costs nothing and changes nothing. A HEAD of a billed operation
 * would cost as much as the answer that it leaves out.
 */
export const answersHead = ({ operations }: Match, prices: PriceBook): boolean => {
  const read = operations.get("GET")
  return read !== undefined && read.replay !== "create" && isFree(prices.of(read))
}

export interface Router {
  /**
   * Matches the path only. `undefined`: no operation has it. Operations may name the parameters of a path differently: they
   * get the names of the operation with this method, if there is one.
   */
  readonly match: (path: string, method?: string, headers?: Request["headers"]) => Match | undefined
}

const noParameters: Readonly<Record<string, string>> = {}

/** The operations of one path, and what each calls its parameters. */
interface Leaf {
  readonly operations: Map<string, Bound>
  readonly names: Map<string, ReadonlyArray<string>>
  readonly firstNames: ReadonlyArray<string>
  /** The methods whose operation has this path as an alias. */
  readonly aliases: Set<string>
  /** Another operation, which requests with this header mean. */
  vendor?: { readonly header: string; readonly leaf: Leaf }
}

const emptyLeaf = (firstNames: ReadonlyArray<string>): Leaf => ({
  operations: new Map(),
  names: new Map(),
  firstNames,
  aliases: new Set()
})

const place = (leaf: Leaf, operation: Bound, names: ReadonlyArray<string>, isAlias: boolean): void => {
  const { method } = operation
  const header = familyOf(operation).keyHeader
  if (isAlias && leaf.operations.has(method)) {
    if (header === undefined) return
    leaf.vendor ??= { header, leaf: emptyLeaf(names) }
    return place(leaf.vendor.leaf, operation, names, isAlias)
  }
  leaf.operations.set(method, operation)
  leaf.names.set(method, names)
  if (isAlias) leaf.aliases.add(method)
}

const inBraces = /\{[^}]+\}/g

/** What a request at this leaf means. A path that is an alias counts as the operation's own. */
const matchAt = (
  leaf: Leaf,
  values: ReadonlyArray<string>,
  method: string,
  headers: Request["headers"] | undefined
): Match | undefined => {
  const { aliases, firstNames, names, operations, vendor } = leaf
  if (vendor?.leaf.operations.has(method) === true && headers?.[vendor.header] !== undefined) {
    return matchAt(vendor.leaf, values, method, headers)
  }
  const parameters = values.length === 0 ? noParameters : parametersOf(names.get(method) ?? firstNames, values)
  if (parameters === undefined) return undefined
  if (!aliases.has(method)) return { operations, parameters }
  let at = 0
  return { operations, parameters, path: operations.get(method)?.path.replaceAll(inBraces, () => values[at++] ?? "") }
}

const decode = (text: string): string | undefined => attempt(() => decodeURIComponent(text))

/** `undefined`: a value is empty, badly encoded or a dot segment. */
const parametersOf = (
  names: ReadonlyArray<string>,
  written: ReadonlyArray<string>
): Readonly<Record<string, string>> | undefined => {
  const parameters: Array<readonly [string, string]> = []
  for (let i = 0; i < written.length; i++) {
    const value = decode(written[i] ?? "")
    if (value === undefined || value === "" || hasDotSegment(value)) return undefined
    parameters.push([names[i] ?? "", value])
  }
  return Object.fromEntries(parameters)
}

/** Looks literal paths up in a map, and the others in a tree by segments. Literal text wins over a parameter. */
export const make = (operations: ReadonlyArray<Bound>): Router => {
  const literal = new Map<string, Leaf>()
  const tree = new PathTree<Leaf>()
  const add = (operation: Bound, path: string, isAlias: boolean): void => {
    if (path.includes("{")) {
      const { leaf, names } = tree.add(path, emptyLeaf)
      return place(leaf, operation, names, isAlias)
    }
    const leaf = literal.get(path) ?? emptyLeaf([])
    place(leaf, operation, [], isAlias)
    literal.set(path, leaf)
  }
  for (const operation of operations) add(operation, operation.path, false)
  for (const operation of operations) for (const path of operation.aliases ?? []) add(operation, path, true)
  return {
    match: (path, method = "", headers) => {
      const known = literal.get(path)
      if (known !== undefined) return matchAt(known, [], method, headers)
      const found = tree.find(path)
      return found && matchAt(found.leaf, found.values, method, headers)
    }
  }
}
