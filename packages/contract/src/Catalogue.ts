import { type Binding, bind, type Bound, type Operation } from "./Operation.ts"
import { fill, type Names } from "./Names.ts"

/** One line of the list of operations, for a person or an agent to browse. */
export interface Entry {
  readonly id: string
  readonly category: string
  readonly summary: string
  readonly state: "complete" | "pending"
  readonly method: string
  readonly path: string | null
  readonly price_contract: string
}

export interface Catalogue {
  readonly names: Names
  readonly operations: ReadonlyArray<Operation>
  /** The operations that have a path. */
  readonly bound: ReadonlyArray<Bound>
  readonly byId: ReadonlyMap<string, Bound>
}

/** The keys of `bindings` are operation ids with the names filled in. */
export const make = (
  operations: ReadonlyArray<Operation>,
  names: Names,
  bindings: Readonly<Record<string, Binding>> = {}
): Catalogue => {
  const bound = operations
    .map((operation) => bind(operation, names, bindings[fill(operation.id, names)]))
    .filter((operation) => operation !== undefined)
  return { names, operations, bound, byId: new Map(bound.map((operation) => [operation.id, operation])) }
}

export const entries = (catalogue: Catalogue): ReadonlyArray<Entry> =>
  catalogue.operations.map((operation) => {
    const id = fill(operation.id, catalogue.names)
    return {
      id,
      category: operation.category,
      summary: operation.summary,
      state: operation.pending.length === 0 ? "complete" : "pending",
      method: operation.method,
      path: catalogue.byId.get(id)?.path ?? null,
      price_contract: operation.price.contract
    }
  })
