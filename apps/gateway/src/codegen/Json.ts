export type Json = Readonly<Record<string, unknown>>

export const isJson = (value: unknown): value is Json =>
  typeof value === "object" && value !== null && !Array.isArray(value)

export const object = (value: unknown): Json => (isJson(value) ? value : {})

export const list = (value: unknown): ReadonlyArray<unknown> => (Array.isArray(value) ? value : [])

export const text = (value: unknown): string | undefined => (typeof value === "string" ? value : undefined)

/** A named field of an object. */
export interface Field {
  readonly name: string
  readonly schema: unknown
  readonly required: boolean
  readonly description: string | undefined
}

/** Whether a schema has fields of its own. */
export const hasFields = (schema: Json): boolean => Object.keys(object(schema["properties"])).length > 0

/** The fields that a schema names itself. */
export const fieldsOf = (schema: Json): ReadonlyArray<Field> => {
  const required = new Set(list(schema["required"]))
  return Object.entries(object(schema["properties"])).map(([name, property]) => {
    const { description } = object(property)
    return {
      name,
      schema: property,
      required: required.has(name),
      description: typeof description === "string" ? description : undefined
    }
  })
}

/** The fields of a schema and of everything that it consists of. The last description of a name counts. */
export const allFieldsOf = (schema: unknown, resolve: (schema: unknown) => Json, depth = 0): ReadonlyArray<Field> => {
  const own = resolve(schema)
  const inherited = depth > 16 ? [] : list(own["allOf"]).flatMap((part) => allFieldsOf(part, resolve, depth + 1))
  const required = new Set([
    ...list(own["required"]),
    ...inherited.filter(({ required }) => required).map(({ name }) => name)
  ])
  const byName = new Map([...inherited, ...fieldsOf(own)].map((field) => [field.name, field]))
  return [...byName.values()].map((field) => ({ ...field, required: field.required || required.has(field.name) }))
}
