import { type Fields, listOf } from "./values.ts"

const nothing = { type: "null" }

/** `nullable: true` of OpenAPI 3.0 in JSON Schema. */
export const withNull = (schema: Fields): Fields => {
  const { type } = schema
  if (typeof type === "string") {
    const values = listOf(schema.enum)
    return {
      ...schema,
      type: [type, "null"],
      // Documents seldom list null among the values, but mean it.
      ...(values.length > 0 && !values.includes(null) ? { enum: [...values, null] } : {})
    }
  }
  for (const key of ["anyOf", "oneOf"] as const) {
    if (Array.isArray(schema[key])) return { ...schema, [key]: [...schema[key], nothing] }
  }
  return schema.$ref === undefined && schema.allOf === undefined ? schema : { anyOf: [schema, nothing] }
}
