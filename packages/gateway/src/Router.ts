import type { Bound, Method } from "@tollgate/contract/Operation"

export interface Match {
  readonly operations: ReadonlyMap<string, Bound>
  readonly parameters: Readonly<Record<string, string>>
}

export interface Router {
  /** `undefined`: no operation has this path. The method is looked up in what comes back. */
  readonly match: (path: string) => Match | undefined
}

const none: Readonly<Record<string, string>> = {}

const escape = (literal: string): string => literal.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")

interface Pattern {
  readonly expression: RegExp
  readonly names: ReadonlyArray<string>
  readonly operations: Map<string, Bound>
}

const compile = (path: string): Pattern => {
  const names: Array<string> = []
  const source = path
    .split(/(\{[^}]+\})/)
    .map((part) => (part.startsWith("{") ? (names.push(part.slice(1, -1)), "([^/]+?)") : escape(part)))
    .join("")
  return { expression: new RegExp(`^${source}$`), names, operations: new Map() }
}

const decode = (text: string): string | undefined => {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}

/** An upstream's address, or the upstream itself, would take these for a way out of the operation's path. */
const climbs = (value: string): boolean => /(?:^|[/\\])\.\.?(?:[/\\]|$)/.test(value)

const usable = (value: string | undefined): value is string => value !== undefined && value !== "" && !climbs(value)

/** Literal paths by one look-up; paths with parameters by trying their patterns in turn. */
export const make = (operations: ReadonlyArray<Bound>): Router => {
  const literal = new Map<string, { operations: Map<Method, Bound>; parameters: typeof none }>()
  const patterns = new Map<string, Pattern>()
  for (const operation of operations) {
    if (operation.path.includes("{")) {
      const pattern = patterns.get(operation.path) ?? compile(operation.path)
      pattern.operations.set(operation.method, operation)
      patterns.set(operation.path, pattern)
    } else {
      const match = literal.get(operation.path) ?? { operations: new Map<Method, Bound>(), parameters: none }
      match.operations.set(operation.method, operation)
      literal.set(operation.path, match)
    }
  }
  return {
    match: (path) => {
      const found = literal.get(path)
      if (found !== undefined) return found
      for (const { expression, names, operations } of patterns.values()) {
        const groups = expression.exec(path)
        if (groups === null) continue
        const values = names.map((_, i) => decode(groups[i + 1] ?? ""))
        if (!values.every(usable)) return undefined
        return { operations, parameters: Object.fromEntries(names.map((name, i) => [name, values[i] ?? ""])) }
      }
      return undefined
    }
  }
}
