import { attempt } from "@tollgate/contract/attempt"
import { fill, type Names } from "@tollgate/contract/Names"
import type { ErrorFormat } from "./wire/refusal.ts"
import type { Handler } from "./BilledAnswer.ts"

/** Handlers by method and path. The path is a template over `Names`, with parameters in braces. */
export type Table = Readonly<Record<string, Handler>>

export interface Protocol {
  readonly table: Table
  readonly errorFormat: ErrorFormat
  /** Whether a request names a model, whose name may contain a scenario. */
  readonly namesModel: boolean
}

export interface Route extends Omit<Protocol, "table"> {
  readonly handler: Handler
  readonly parameters: Readonly<Record<string, string>>
}

const escapeRegExp = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&")

const compile = (template: string): ((address: string) => Record<string, string> | undefined) => {
  const parts = template.split(/\{(\w+)\}/)
  const names = parts.filter((_, index) => index % 2 === 1)
  // Greedy, because a model's name may contain the colon that precedes the method.
  const pattern = new RegExp(`^${parts.map((part, i) => (i % 2 === 1 ? "([^/]+)" : escapeRegExp(part))).join("")}$`)
  return (address) => {
    const match = pattern.exec(address)
    if (match === null) return undefined
    return attempt(() =>
      Object.fromEntries(names.map((name, index) => [name, decodeURIComponent(match[index + 1] ?? "")]))
    )
  }
}

/** Looks up paths without parameters in a map; among paths with parameters the first match wins. */
export const router = (protocols: ReadonlyArray<Protocol>, names: Names) => {
  const fixed = new Map<string, Route>()
  const patterns: Array<(address: string) => Route | undefined> = []
  for (const { table, ...protocol } of protocols)
    for (const [template, handler] of Object.entries(table)) {
      const filled = fill(template, names)
      if (!filled.includes("{")) fixed.set(filled, { ...protocol, handler, parameters: {} })
      else {
        const match = compile(filled)
        patterns.push((address) => {
          const parameters = match(address)
          return parameters === undefined ? undefined : { ...protocol, handler, parameters }
        })
      }
    }

  return (method: string, url: string): Route | undefined => {
    const address = `${method} ${url.split("?", 1)[0]}`
    const known = fixed.get(address)
    if (known !== undefined) return known
    for (const pattern of patterns) {
      const route = pattern(address)
      if (route !== undefined) return route
    }
    return undefined
  }
}
