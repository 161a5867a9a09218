import * as Catalogue from "@tollgate/contract/Catalogue"
import { fill, type Names } from "@tollgate/contract/Names"
import type { Binding } from "@tollgate/contract/Operation"
import { operations } from "@tollgate/contract/operations"
import { Router } from "@tollgate/gateway/operator"
import { consoleSegments } from "../../pages/consoleSegments.ts"
import type { Entry } from "./Entry.ts"

/** Paths that the gateway uses itself or may use later. */
const reserved = /^\/(?:account|admin|api|docs|mcp|metrics|oauth|\.well-known|console|healthz|readyz)(?:\/|$)/

/** The console answers before operations do. */
const isConsoles = (path: string): boolean => {
  const [, segment = ""] = path.split("/", 2)
  return segment === "assets" || consoleSegments.has(segment)
}

/** Two paths with the same shape match the same addresses, whatever their parameters are called. */
export const shapeOf = (path: string): string => path.replaceAll(/\{[^}]*\}/g, "{}")

const sampleOf = (path: string): string => path.replaceAll(/\{[^}]+\}/g, "x")

/** Where an operation is described. The configuration file itself has no name here. */
type Place = "contract" | { readonly file: string | undefined }

const whereIs = (place: Place, file: string | undefined): string =>
  place === "contract" || place.file === file ? "" : `, in ${place.file ?? "the configuration file"}`

/** Finds what is taken: ids, and addresses by method. */
export class TakenPaths {
  readonly #ids: Map<string, Place>
  readonly #byRoute = new Map<string, string>()
  readonly #builtIn: Router.Router

  constructor(names: Names, bindings: Readonly<Record<string, Binding>>) {
    this.#ids = new Map(operations.map(({ id }) => [fill(id, names), "contract"]))
    const { bound } = Catalogue.make(operations, names, bindings)
    for (const { aliases = [], id, method, path } of bound.toReversed())
      for (const each of [...aliases, path]) this.#byRoute.set(`${method} ${shapeOf(each)}`, id)
    this.#builtIn = Router.make(bound)
  }

  /** Takes the id and the path of an entry, and says what is wrong with them. `file` is the one that has it, if not the first. */
  take(
    { id, method, path }: Pick<Entry, "id" | "method"> & { readonly path?: string },
    file: string | undefined
  ): ReadonlyArray<readonly [key: "id" | "path", message: string]> {
    if (path === undefined) return []
    const route = `${method} ${shapeOf(path)}`
    const problem = this.#pathProblem(method, path, this.#byRoute.get(route))
    const other = this.#ids.get(id)
    if (other === undefined) this.#ids.set(id, { file })
    if (!this.#byRoute.has(route)) this.#byRoute.set(route, id)
    return [
      ...(other === undefined ? [] : [["id", `another operation has this id${whereIs(other, file)}`] as const]),
      ...(problem === undefined ? [] : [["path", problem] as const])
    ]
  }

  #pathProblem(method: string, path: string, other: string | undefined): string | undefined {
    if (reserved.test(path)) return "this path is reserved for the gateway"
    if (method === "GET" && isConsoles(path)) return "the console has a page at this path"
    // A parameter there would match the reserved paths too.
    if (/^\/[^/]*\{/.test(path)) return "the path must begin with a fixed word, not a parameter"
    if (/\/\.{1,2}(?:\/|$)/.test(path)) return "the path must not have . or .. between two slashes"
    if (other !== undefined) return `${other} already has ${method} on this path`
    if (path.includes("{")) return undefined
    const builtIn = this.#builtIn.match(sampleOf(path))?.operations.get(method)
    return builtIn === undefined ? undefined : `${builtIn.id} already has ${method} on this path`
  }
}
