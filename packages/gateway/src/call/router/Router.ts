import type { Bound, Method } from "@tollgate/contract/Operation"
import type { Match } from "../../exchange/Exchange.ts"
import { hasDotSegment } from "../../internal/query.ts"
import { PathTree } from "./PathTree.ts"
import { isFree } from "@tollgate/contract/price/Price"
import type { PriceBook } from "../../exchange/Prices.ts"

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
  readonly match: (path: string, method?: string) => Match | undefined
}

const noParameters: Readonly<Record<string, string>> = {}

/** The operations of one path, and what each calls its parameters. */
interface Leaf {
  readonly operations: Map<string, Bound>
  readonly names: Map<string, ReadonlyArray<string>>
  readonly firstNames: ReadonlyArray<string>
}

const decode = (text: string): string | undefined => {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}

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
  const literal = new Map<string, { operations: Map<Method, Bound>; parameters: typeof noParameters }>()
  const tree = new PathTree<Leaf>()
  for (const operation of operations) {
    const { method, path } = operation
    if (path.includes("{")) {
      const { leaf, names } = tree.add(path, (names) => ({
        operations: new Map(),
        names: new Map(),
        firstNames: names
      }))
      leaf.operations.set(method, operation)
      leaf.names.set(method, names)
    } else {
      const match = literal.get(path) ?? { operations: new Map<Method, Bound>(), parameters: noParameters }
      match.operations.set(method, operation)
      literal.set(path, match)
    }
  }
  return {
    match: (path, method = "") => {
      const known = literal.get(path)
      if (known !== undefined) return known
      const found = tree.find(path)
      if (found === undefined) return undefined
      const { firstNames, names, operations } = found.leaf
      const parameters = parametersOf(names.get(method) ?? firstNames, found.values)
      return parameters === undefined ? undefined : { operations, parameters }
    }
  }
}
