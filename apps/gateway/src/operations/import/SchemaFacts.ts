import type { Path } from "../../config/text/Problem.ts"
import { inPlace, named, one, several, entriesOf, field, fieldsOf, listOf } from "./values.ts"
import { isAlias, pointerOf, type References } from "./References.ts"

/** The strongly connected components of a graph, found as they are asked for (Tarjan's algorithm, without recursion). */
export class Components<A> {
  readonly #next: (node: string) => Iterable<string>
  readonly #valueOf: (members: ReadonlyArray<string>, after: ReadonlyArray<A>) => A
  readonly #component = new Map<string, number>()
  readonly #values: Array<A> = []

  /** The value of a component is made from its members and from the values of those that it leads to. */
  constructor(
    next: (node: string) => Iterable<string>,
    valueOf: (members: ReadonlyArray<string>, after: ReadonlyArray<A>) => A
  ) {
    this.#next = next
    this.#valueOf = valueOf
  }

  /** Nodes of one component lead to each other. */
  of(node: string): number {
    if (!this.#component.has(node)) this.#explore(node)
    return this.#component.get(node) ?? -1
  }

  valueOf(node: string): A | undefined {
    return this.#values[this.of(node)]
  }

  #explore(root: string): void {
    const index = new Map<string, number>()
    const low = new Map<string, number>()
    const open: Array<string> = []
    const enter = (node: string) => {
      index.set(node, index.size)
      low.set(node, index.size - 1)
      open.push(node)
      return { node, rest: [...this.#next(node)] }
    }
    const lower = (node: string, to: number) => low.set(node, Math.min(low.get(node) ?? to, to))
    const path = [enter(root)]
    for (let at = path.at(-1); at !== undefined; at = path.at(-1)) {
      const other = at.rest.pop()
      if (other !== undefined) {
        if (this.#component.has(other)) continue
        const seen = index.get(other)
        if (seen === undefined) path.push(enter(other))
        else lower(at.node, seen)
        continue
      }
      path.pop()
      const around = path.at(-1)
      if (around !== undefined) lower(around.node, low.get(at.node) ?? 0)
      if (low.get(at.node) === index.get(at.node)) this.#close(open.splice(open.lastIndexOf(at.node)))
    }
  }

  #close(members: ReadonlyArray<string>): void {
    const own = this.#values.length
    for (const member of members) this.#component.set(member, own)
    const after = new Set(members.flatMap((member) => [...this.#next(member)].map((node) => this.of(node))))
    after.delete(own)
    this.#values.push(
      this.#valueOf(
        members,
        [...after].map((component) => this.#values[component] as A)
      )
    )
  }
}

/** What has to be known of a schema before it is written. */
interface Facts {
  /** Every schema that it refers to. */
  readonly references: ReadonlySet<string>
  /** Those that apply to the same value. */
  readonly inPlace: ReadonlySet<string>
  /** It requires a property that only answers have. */
  readonly requiresReadOnly: boolean
}

const factsOf = (
  schema: unknown,
  isReadOnly: (property: unknown) => boolean,
  normal: (reference: string) => string
): Facts => {
  const references = new Set<string>()
  const same = new Set<string>()
  let requiresReadOnly = false
  const walk = (part: unknown, isSameValue: boolean): void => {
    const reference = field(part, "$ref")
    if (typeof reference === "string") {
      references.add(normal(reference))
      if (isSameValue) same.add(normal(reference))
    }
    const required = listOf(field(part, "required"))
    for (const [name, property] of entriesOf(field(part, "properties"))) {
      if (required.includes(name) && isReadOnly(property)) requiresReadOnly = true
    }
    for (const [key, value] of entriesOf(part)) {
      const isSame = isSameValue && inPlace.has(key)
      if (one.has(key)) walk(value, isSame)
      else if (several.has(key)) for (const item of listOf(value)) walk(item, isSame)
      else if (named.has(key)) for (const [, item] of entriesOf(value)) walk(item, false)
    }
  }
  walk(schema, true)
  return { references, inPlace: same, requiresReadOnly }
}

export const schemaFacts = ({ find, resolve }: References) => {
  const known = new Map<string, Facts>()

  const isReadOnly = (property: unknown): boolean => {
    if (field(property, "readOnly") === true) return true
    if (!isAlias(property)) return false
    const target = resolve(property, [])
    return !("problem" in target) && field(target.value, "readOnly") === true
  }

  /** One place can be written in several ways. */
  const normal = (reference: string): string => {
    const target = find(reference)
    return "problem" in target ? reference : pointerOf(target.path)
  }

  const of = (reference: string): Facts => {
    const before = known.get(reference)
    if (before !== undefined) return before
    const target = find(reference)
    const facts = factsOf("problem" in target ? {} : target.value, isReadOnly, normal)
    known.set(reference, facts)
    return facts
  }

  const all = new Components<boolean>(
    (reference) => of(reference).references,
    (members, after) => after.includes(true) || members.some((member) => of(member).requiresReadOnly)
  )
  const sameValue = new Components<undefined>(
    (reference) => of(reference).inPlace,
    () => undefined
  )

  return {
    /** As the body of a request it would demand what only answers have. */
    differsInRequests: (reference: string): boolean => all.valueOf(reference) === true,
    /** Each leads to the other without going into the value. */
    isEndless: (from: string, to: string): boolean => sameValue.of(from) === sameValue.of(to),
    isReadOnly
  }
}

export type SchemaFacts = ReturnType<typeof schemaFacts>

/** Whether a parameter's value is one value, a list or an object. */
export const kindOf = (schema: unknown, { resolve }: References, path: Path): "one" | "list" | "object" => {
  const target = resolve(schema, path)
  const fields = fieldsOf("problem" in target ? {} : target.value) ?? {}
  const types = Array.isArray(fields.type) ? fields.type : [fields.type]
  if (types.includes("array")) return types.some((type) => type === "string") ? "one" : "list"
  if (types.includes("object") || (fields.type === undefined && fieldsOf(fields.properties) !== undefined))
    return "object"
  return "one"
}
