import { isJsonSchema, type JsonSchema, type JsonSchemaDocument } from "../JsonSchemaDocument.ts"
import { bounds, nodesOf, type SchemaNode } from "./SchemaNode.ts"
import { at, mismatch, type Mismatch, numberMismatch, textMismatch } from "./Mismatch.ts"
import type { Matcher } from "./pattern.ts"

/** The check costs too much, and the value passes. */
const exhausted = new Error("exhausted")

type Fields = Readonly<Record<string, unknown>>

const typeOf = (value: unknown): string => (value === null ? "null" : Array.isArray(value) ? "array" : typeof value)

const isOfType = (type: unknown, found: string, value: unknown): boolean =>
  type === found || (type === "integer" && Number.isInteger(value))

const typeMismatch = (types: ReadonlyArray<unknown>, value: unknown): Mismatch | undefined => {
  const found = typeOf(value)
  for (const type of types) if (isOfType(type, found, value)) return undefined
  if (types[0] === "integer" && found === "number") return mismatch("an integer")
  return mismatch(types.map((type) => (type === "integer" ? "number" : String(type))).join(" | "), "type")
}

const mostShown = 20

const oneOfThese = (values: ReadonlySet<unknown>): string => {
  const shown = [...values].slice(0, mostShown).map((value) => JSON.stringify(value))
  return [...shown, ...(values.size > mostShown ? ["…"] : [])].join(" | ")
}

/** What is wrong with the first member that describes the value's type; if none does, the types that are described. */
const ofAll = (mismatches: ReadonlyArray<Mismatch>): Mismatch =>
  mismatches.find(({ kind }) => kind !== "type") ??
  mismatch([...new Set(mismatches.map(({ expected }) => expected))].slice(0, mostShown).join(" | "), "type")

/**
 * Checks one value up to its first mismatch. Within lists of schemas, a schema is applied to a part of the value only once,
 * so that the time grows with schema and value, and not with the number of ways through the lists.
 */
class Check {
  readonly #nodeOf: (schema: JsonSchema) => SchemaNode
  #steps = bounds.steps
  #matching = bounds.matching
  #depth = 0
  #level = 0
  #lists = 0
  #known: Map<JsonSchema, Map<unknown, Mismatch | undefined>> | undefined

  constructor(definitions: JsonSchemaDocument["definitions"]) {
    this.#nodeOf = nodesOf(definitions)
  }

  mismatch(schema: unknown, value: unknown): Mismatch | undefined {
    if (schema === false) return mismatch("never")
    if (!isJsonSchema(schema)) return undefined
    if (--this.#steps < 0 || ++this.#depth > bounds.depth) throw exhausted
    const node = this.#nodeOf(schema)
    const found = this.#own(node, value) ?? this.#others(node, value)
    this.#depth--
    return found
  }

  /** What the schema itself says. */
  #own(node: SchemaNode, value: unknown): Mismatch | undefined {
    const { types, values } = node
    if (types !== undefined) {
      const wrong = typeMismatch(types, value)
      if (wrong !== undefined) return wrong
    }
    if (values !== undefined && !values.has(value)) return mismatch(oneOfThese(values))
    if (typeof value === "string") return textMismatch(node, value) ?? this.#pattern(node, value)
    if (typeof value === "number") return numberMismatch(node, value)
    if (typeof value !== "object" || value === null) return undefined
    if (this.#level >= bounds.levels) return mismatch("a value that is not nested too deep to be checked")
    this.#level++
    const found = Array.isArray(value) ? this.#list(node, value) : this.#object(node, value as Fields)
    this.#level--
    return found
  }

  #pattern({ pattern }: SchemaNode, text: string): Mismatch | undefined {
    if (pattern === undefined || this.#matches(pattern, text) !== false) return undefined
    return mismatch(`a string matching the RegExp ${pattern.pattern.source}`)
  }

  /** `undefined`: it would cost too much to tell. */
  #matches({ costOf, pattern }: Matcher, text: string): boolean | undefined {
    const cost = costOf(text.length)
    if (cost > this.#matching) return undefined
    this.#matching -= cost
    return pattern.test(text)
  }

  #list({ isUnique, items, maxItems, minItems, prefixItems }: SchemaNode, value: ReadonlyArray<unknown>) {
    if (value.length < minItems) return mismatch(`a value with a length of at least ${minItems}`)
    if (value.length > maxItems) return mismatch(`a value with a length of at most ${maxItems}`)
    const first = prefixItems?.length ?? 0
    if (items !== undefined || first > 0) {
      for (let i = 0; i < value.length; i++) {
        const found = this.mismatch(i < first ? prefixItems?.[i] : items, value[i])
        if (found !== undefined) return at(i, found)
      }
    }
    return isUnique && new Set(value).size < value.length ? mismatch("an array with unique items") : undefined
  }

  #object(node: SchemaNode, value: Fields): Mismatch | undefined {
    for (const name of node.required ?? []) {
      if (!Object.hasOwn(value, name as string)) return at(name as string, mismatch("a value", "missing"))
    }
    const { additionalProperties, maxProperties, minProperties, patterns, properties, propertyNames } = node
    let count = 0
    for (const name in value) {
      count++
      if (propertyNames !== undefined) {
        const found = this.mismatch(propertyNames, name)
        if (found !== undefined) return at(name, found)
      }
      const found = this.#property(value[name], name, properties, patterns, additionalProperties)
      if (found !== undefined) return at(name, found)
    }
    if (count < minProperties) return mismatch(`a value with at least ${minProperties} entries`)
    return count > maxProperties ? mismatch(`a value with at most ${maxProperties} entries`) : undefined
  }

  #property(
    value: unknown,
    name: string,
    properties: SchemaNode["properties"],
    patterns: SchemaNode["patterns"],
    additional: unknown
  ): Mismatch | undefined {
    const isNamed = properties !== undefined && Object.hasOwn(properties, name)
    let isKnown = isNamed
    let found = isNamed ? this.mismatch(properties[name], value) : undefined
    for (const [matcher, schema] of patterns ?? []) {
      if (found !== undefined) return found
      if (--this.#steps < 0) throw exhausted
      const isMatch = this.#matches(matcher, name)
      if (isMatch === false) continue
      isKnown = true
      if (isMatch === undefined) continue
      found = this.mismatch(schema, value)
    }
    if (isKnown || additional === undefined) return found
    return additional === false ? mismatch("no excess property") : this.mismatch(additional, value)
  }

  /** What the schemas say that apply to the same value. */
  #others(node: SchemaNode, value: unknown): Mismatch | undefined {
    const { allOf, anyOf, oneOf, reference } = node
    if (reference !== undefined) {
      const found = this.#referenced(reference, value)
      if (found !== undefined) return found
    }
    if (allOf === undefined && anyOf === undefined && oneOf === undefined) return undefined
    this.#lists++
    const found = this.#all(allOf, value) ?? this.#any(anyOf, value) ?? this.#one(oneOf, value)
    this.#lists--
    return found
  }

  #referenced(schema: JsonSchema | boolean, value: unknown): Mismatch | undefined {
    if (this.#lists === 0 || typeof schema === "boolean") return this.mismatch(schema, value)
    this.#known ??= new Map()
    let known = this.#known.get(schema)
    if (known === undefined) this.#known.set(schema, (known = new Map()))
    if (known.has(value)) return known.get(value)
    // A schema that leads back to itself adds nothing.
    known.set(value, undefined)
    const found = this.mismatch(schema, value)
    known.set(value, found)
    return found
  }

  #all(members: ReadonlyArray<unknown> | undefined, value: unknown): Mismatch | undefined {
    for (const member of members ?? []) {
      const found = this.mismatch(member, value)
      if (found !== undefined) return found
    }
    return undefined
  }

  #any(members: ReadonlyArray<unknown> | undefined, value: unknown): Mismatch | undefined {
    if (members === undefined || members.length === 0) return undefined
    const mismatches: Array<Mismatch> = []
    for (const member of members) {
      const found = this.mismatch(member, value)
      if (found === undefined) return undefined
      mismatches.push(found)
    }
    return ofAll(mismatches)
  }

  #one(members: ReadonlyArray<unknown> | undefined, value: unknown): Mismatch | undefined {
    if (members === undefined || members.length === 0) return undefined
    const mismatches: Array<Mismatch> = []
    let matches = 0
    for (const member of members) {
      const found = this.mismatch(member, value)
      if (found !== undefined) mismatches.push(found)
      else if (++matches > 1) return mismatch("exactly one member to match")
    }
    return matches === 0 ? ofAll(mismatches) : undefined
  }
}

/** Why a value does not match the schema of a document. `undefined`: it does, or it cannot be checked. */
export const mismatchOf = ({ definitions, schema }: JsonSchemaDocument, value: unknown): Mismatch | undefined => {
  try {
    return new Check(definitions).mismatch(schema, value)
  } catch (error) {
    if (error === exhausted) return undefined
    throw error
  }
}
