/** One segment of a path pattern. */
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
export class PathTree<Leaf> {
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
