import { modelsOf } from "@tollgate/contract/price/Price"
import type { Gateway } from "../../call/Gateway.ts"
import type { Route } from "../../upstream/Route.ts"
import { other } from "./Family.ts"

export interface NamesInForce extends Pick<Gateway, "catalogue" | "models" | "prices"> {
  readonly routes: ReadonlyArray<Route>
}

const namesIn = ({ catalogue, models, prices, routes }: NamesInForce): Set<string> => {
  const names = new Set(models.map(({ id }) => id))
  for (const { model } of routes) if (model !== undefined) names.add(model)
  for (const operation of catalogue.bound) {
    for (const name of Object.keys(modelsOf(prices.all?.(operation) ?? prices.of(operation)))) names.add(name)
  }
  return names
}

/**
 * The label of a model: its name if the operator has a price or a route for it, a pattern of theirs that it matches, or else
 * `other`. Callers choose the names in calls, so they are no labels by themselves.
 */
export class ModelLabels {
  readonly #inForce: () => NamesInForce | undefined
  readonly #version: () => unknown
  #known: unknown
  #names = new Set<string>()
  #prefixes: ReadonlyArray<string> = []

  /** The names are read again when `version` returns something else. */
  constructor(inForce: () => NamesInForce | undefined, version: () => unknown) {
    this.#inForce = inForce
    this.#version = version
  }

  of(model: string | undefined): string {
    if (model === undefined) return "none"
    const version = this.#version()
    if (version !== this.#known) this.#read(version)
    if (this.#names.has(model)) return model
    const prefix = this.#prefixes.find((prefix) => model.startsWith(prefix))
    return prefix === undefined ? other : `${prefix}*`
  }

  #read(version: unknown): void {
    this.#known = version
    const inForce = this.#inForce()
    const all = inForce === undefined ? new Set<string>() : namesIn(inForce)
    const patterns = [...all].filter((name) => name.endsWith("*"))
    this.#prefixes = patterns.map((name) => name.slice(0, -1)).toSorted((a, b) => b.length - a.length)
    for (const pattern of patterns) all.delete(pattern)
    this.#names = all
  }
}
