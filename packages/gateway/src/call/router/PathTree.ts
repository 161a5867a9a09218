import { bySpecificity, type SegmentPattern, segmentsOf } from "./pathPattern.ts"

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
