import { defaults } from "@tollgate/contract/Names"
import { callerHeaderProblem } from "../../config/text/headers.ts"
import type { Path } from "../../config/text/Problem.ts"
import type { Findings } from "./Findings.ts"
import type { References } from "./References.ts"
import { kindOf } from "./SchemaFacts.ts"
import type { SchemaWriter } from "./Schemas.ts"
import { entriesOf, type Fields, fieldsOf, listOf, present, shown, textOf } from "./values.ts"

export interface Context {
  readonly findings: Findings
  readonly references: References
  readonly schemas: SchemaWriter
}

export interface Obstacle {
  readonly place: Path
  readonly reason: string
}

type Where = "path" | "query" | "header"

interface Located {
  readonly value: Fields
  readonly path: Path
}

const allowedName = /^[A-Za-z_$][A-Za-z0-9_.$[\]-]{0,63}$/

/** OpenAPI gives these three no meaning as parameters. */
/** Whoever sends them learns for free that nothing changed. */
const conditions = new Set(["if-none-match", "if-modified-since"])

const meaningless = new Set(["accept", "content-type", "authorization"])
const separators = new Map([
  ["form", "commas"],
  ["simple", "commas"],
  ["spaceDelimited", "spaces"],
  ["pipeDelimited", "pipes"]
])

const sentence = (...parts: ReadonlyArray<string | undefined>): string | undefined =>
  parts.filter((part) => part !== undefined).join("\n\n") || undefined

type Carried =
  | { readonly schema: Fields; readonly style?: string }
  /** Each field of the object is a parameter of its own. */
  | { readonly fields: ReadonlyArray<{ readonly name: string; readonly required: boolean; readonly schema: Fields }> }
  | { readonly problem: string }

/** The fields of an object that is written as parameters of their names. */
const fieldsIn = ({ findings, references, schemas }: Context, schema: unknown, at: Path): Carried => {
  const target = references.resolve(schema, at)
  const own = "problem" in target ? undefined : fieldsOf(target.value)
  const named = entriesOf(own?.properties)
  if ("problem" in target || named.length === 0) return { problem: "is an object without named fields" }
  if (named.some(([name, field]) => !allowedName.test(name) || kindOf(field, references, target.path) !== "one")) {
    return { problem: "is an object whose fields are not single values" }
  }
  if (fieldsOf(own?.additionalProperties) !== undefined) findings.part(at, "only the named fields are described")
  const required = listOf(own?.required)
  return {
    fields: named.map(([name, field]) => ({
      name,
      required: required.includes(name),
      schema: schemas.write(field, [...target.path, "properties", name], "request")
    }))
  }
}

/** How the value of a parameter is written into a path, query or header. */
const carried = (context: Context, { path, value }: Located, where: Where): Carried => {
  const { findings, references, schemas } = context
  const content = Object.keys(fieldsOf(value.content) ?? {})
  if (content.length > 0) {
    findings.part(path, `is ${content[0]} inside a parameter: any text passes`)
    return { schema: { type: "string" } }
  }
  const style = value.style ?? (where === "query" ? "form" : "simple")
  const isExploded = typeof value.explode === "boolean" ? value.explode : style === "form"
  const separator = typeof style === "string" ? separators.get(style) : undefined
  const place = [...path, "schema"]
  const schema = value.schema ?? {}
  const kind = kindOf(schema, references, place)
  if (style === "deepObject" && where === "query") {
    return { schema: schemas.write(schema, place, "request"), ...(kind === "object" ? { style: "brackets" } : {}) }
  }
  if (separator === undefined) {
    return { problem: `the gateway does not carry the style ${shown(style)}` }
  }
  if (kind === "object") {
    return style === "form" && isExploded
      ? fieldsIn(context, schema, place)
      : { problem: "is an object: the gateway carries single values and lists" }
  }
  const written = schemas.write(schema, place, "request")
  if (kind === "one" || where !== "query") return { schema: written }
  if (isExploded) return { schema: written, style: "repeat" }
  return separator === "commas" ? { schema: written } : { schema: written, style: separator }
}

const asText = (value: unknown): string | undefined => (typeof value === "string" && value !== "" ? value : undefined)

/** Those of the operation replace those of its path. */
const effective = ({ references }: Context, lists: ReadonlyArray<readonly [unknown, Path]>) => {
  const found = new Map<string, Located>()
  const obstacles: Array<Obstacle> = []
  for (const [list, at] of lists) {
    listOf(list).forEach((item, i) => {
      const place = [...at, i]
      const target = references.resolve(item, place)
      if ("problem" in target) obstacles.push({ place, reason: `the parameter ${target.problem}` })
      else {
        const value = fieldsOf(target.value)
        if (value === undefined || asText(value.name) === undefined || asText(value.in) === undefined) {
          obstacles.push({ place, reason: "is not a parameter: it has no name or no place" })
        } else found.set(`${shown(value.in)} ${shown(value.name)}`, { value, path: target.path })
      }
    })
  }
  return { found: [...found.values()], obstacles }
}

const unusable = (where: string, name: string, inPath: ReadonlyMap<string, string>): string | undefined => {
  if (where === "cookie") return "the gateway carries no cookies"
  if (where !== "path" && where !== "query" && where !== "header") return "is in no place that OpenAPI 3 knows"
  if (where === "path" && !inPath.has(name)) return "is not in the path"
  if (where !== "path" && !allowedName.test(name)) return "the gateway cannot have a parameter of this name"
  if (where !== "header") return undefined
  if (meaningless.has(name.toLowerCase())) return "OpenAPI gives this header no meaning as a parameter"
  if (conditions.has(name.toLowerCase())) return "an answer 304 to this header would cost nothing"
  return callerHeaderProblem(name, defaults)
}

/** The parameters of an operation. An optional one that cannot be carried is told; a required one is an obstacle. */
export const parametersOf = (
  context: Context,
  lists: ReadonlyArray<readonly [unknown, Path]>,
  inPath: ReadonlyMap<string, string>,
  at: Path
): { readonly parameters: ReadonlyArray<Fields>; readonly obstacles: ReadonlyArray<Obstacle> } => {
  const { findings } = context
  const { found, obstacles } = effective(context, lists)
  const taken = new Set<string>()
  const parameters = found.flatMap((located): ReadonlyArray<Fields> => {
    const { path, value } = located
    const name = shown(value.name)
    const isRequired = value.in === "path" || value.required === true
    const leaveOut = (reason: string) => {
      if (isRequired && value.in !== "path" && !meaningless.has(name.toLowerCase())) {
        obstacles.push({ place: path, reason: `the required parameter ${JSON.stringify(name)}: ${reason}` })
      } else findings.part(path, `the parameter ${JSON.stringify(name)} is left out: ${reason}`)
      return []
    }
    const problem = unusable(shown(value.in), name, inPath)
    if (problem !== undefined) return leaveOut(problem)
    const where = value.in as Where
    const own = where === "path" ? (inPath.get(name) ?? name) : name
    // Names of headers are the same in both cases.
    const key = `${where} ${where === "header" ? own.toLowerCase() : own}`
    if (taken.has(key)) return leaveOut("another parameter has this name")
    const form = carried(context, located, where)
    if ("problem" in form) {
      if (where !== "path") return leaveOut(form.problem)
      obstacles.push({ place: path, reason: `the parameter ${JSON.stringify(name)} of the path: ${form.problem}` })
      return []
    }
    const isOld = value.deprecated === true ? "Deprecated." : undefined
    if ("fields" in form) {
      const other = form.fields.find(({ name }) => taken.has(`query ${name}`))
      if (other !== undefined) return leaveOut(`another parameter has the name of its field ${other.name}`)
      for (const { name } of form.fields) taken.add(`query ${name}`)
      return form.fields.map(({ name, required, schema }) =>
        present({
          name,
          in: where,
          required: isRequired && required ? true : undefined,
          description: sentence(isOld),
          schema
        })
      )
    }
    taken.add(key)
    return [
      present({
        name: own,
        in: where,
        required: isRequired ? true : undefined,
        description: sentence(isOld, textOf(value.description)),
        style: form.style,
        schema: form.schema
      })
    ]
  })
  const missing = [...inPath].filter(([, own]) => !taken.has(`path ${own}`))
  if (obstacles.length === 0) {
    for (const [name] of missing) findings.part(at, `the document does not describe {${name}}: any text passes`)
  }
  return {
    parameters: [
      ...parameters,
      ...missing.map(([, name]) => ({ name, in: "path", required: true, schema: { type: "string" } }))
    ],
    obstacles
  }
}
