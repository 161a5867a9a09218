import type { Bound, Method } from "@tollgate/contract/Operation"

export interface Match {
  readonly operations: ReadonlyMap<string, Bound>
  readonly parameters: Readonly<Record<string, string>>
}

export interface Router {
  /** Matches the path only. `undefined`: no operation has it. */
  readonly match: (path: string) => Match | undefined
}

const noParameters: Readonly<Record<string, string>> = {}

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

/** Contains a dot segment, which could lead to another path of the upstream. */
export const hasDotSegment = (value: string): boolean => /(?:^|[/\\])\.\.?(?:[/\\]|$)/.test(value)

const isValid = (value: string | undefined): value is string =>
  value !== undefined && value !== "" && !hasDotSegment(value)

/** Looks literal paths up in a map, and tries the patterns of the others in order. */
export const make = (operations: ReadonlyArray<Bound>): Router => {
  const literal = new Map<string, { operations: Map<Method, Bound>; parameters: typeof noParameters }>()
  const patterns = new Map<string, Pattern>()
  for (const operation of operations) {
    if (operation.path.includes("{")) {
      const pattern = patterns.get(operation.path) ?? compile(operation.path)
      pattern.operations.set(operation.method, operation)
      patterns.set(operation.path, pattern)
    } else {
      const match = literal.get(operation.path) ?? { operations: new Map<Method, Bound>(), parameters: noParameters }
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
        if (!values.every(isValid)) return undefined
        return { operations, parameters: Object.fromEntries(names.map((name, i) => [name, values[i] ?? ""])) }
      }
      return undefined
    }
  }
}
