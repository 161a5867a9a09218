import type { Provider } from "./Provider.ts"

/** One of the upstreams that may carry an operation out. */
export interface Target {
  readonly provider: Provider
  /** What the upstream calls the model, where that is not what the caller calls it. */
  readonly model?: string
  /** In place of the operation's own. */
  readonly path?: string
  /** How often it is chosen, against the others of the route. */
  readonly weight: number
}

export interface Route<T extends Target = Target> {
  /** The id, with the names filled in. */
  readonly operation: string
  /** A model's name, or the beginning of many with a star at its end. Missing: all that have no route of their own. */
  readonly model?: string
  readonly to: ReadonlyArray<T>
}

interface Table<T> {
  readonly exact: Map<string, ReadonlyArray<T>>
  /** The longest first. */
  prefixes: ReadonlyArray<readonly [prefix: string, to: ReadonlyArray<T>]>
  any: ReadonlyArray<T> | undefined
}

const nowhere: ReadonlyArray<never> = []

/** Where the calls of an operation go: by the model's name, by its longest beginning, or else by the operation alone. */
export const finder = <T extends Target>(routes: ReadonlyArray<Route<T>>) => {
  const tables = new Map<string, Table<T>>()
  for (const { model, operation, to } of routes) {
    const table: Table<T> = tables.get(operation) ?? { exact: new Map(), prefixes: [], any: undefined }
    tables.set(operation, table)
    if (model === undefined) table.any = to
    else if (!model.endsWith("*")) table.exact.set(model, to)
    else {
      const entry = [model.slice(0, -1), to] as const
      table.prefixes = [...table.prefixes, entry].toSorted(([a], [b]) => b.length - a.length)
    }
  }
  return (operation: string, model: string | undefined): ReadonlyArray<T> => {
    const table = tables.get(operation)
    if (table === undefined) return nowhere
    if (model !== undefined) {
      const exact = table.exact.get(model)
      if (exact !== undefined) return exact
      for (const [prefix, to] of table.prefixes) if (model.startsWith(prefix)) return to
    }
    return table.any ?? nowhere
  }
}

/** By weight; `chance` is from 0 up to 1. */
export const choose = <T extends Target>(targets: ReadonlyArray<T>, chance: number): T | undefined => {
  let left = chance * targets.reduce((sum, { weight }) => sum + weight, 0)
  for (const target of targets) {
    left -= target.weight
    if (left < 0) return target
  }
  return targets.at(-1)
}
