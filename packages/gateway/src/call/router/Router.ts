import type { Bound } from "@tollgate/contract/Operation"
import { familyOf } from "@tollgate/contract/errors/families"
import type { Match, Request } from "../../exchange/Exchange.ts"
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
