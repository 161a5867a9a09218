export type Json = Readonly<Record<string, unknown>>

export const isJson = (value: unknown): value is Json =>
  typeof value === "object" && value !== null && !Array.isArray(value)

export const object = (value: unknown): Json => (isJson(value) ? value : {})

export const list = (value: unknown): ReadonlyArray<unknown> => (Array.isArray(value) ? value : [])

export const text = (value: unknown): string | undefined => (typeof value === "string" ? value : undefined)

export interface Field {
  readonly name: string
  readonly schema: unknown
  readonly required: boolean
  readonly description: string | undefined
}

export const hasFields = (schema: Json): boolean => Object.keys(object(schema["properties"])).length > 0

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

/** Characters that end a line, hide text or change the direction in which it is read. */
const unsafe = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu

const escaped = (character: string): string => `\\u{${character.codePointAt(0)?.toString(16)}}`

export const quoted = (text: string): string => JSON.stringify(text).replace(unsafe, escaped)

const identifier = /^[A-Za-z_$][A-Za-z0-9_$]*$/

export const fieldName = (name: string): string => (identifier.test(name) ? name : quoted(name))

const mostCharacters = 2_000

/** Text of somebody else on one line, which cannot end a comment. */
export const plain = (text: string): string =>
  text
    .slice(0, mostCharacters)
    .toWellFormed()
    .replace(unsafe, " ")
    .replaceAll("*/", "*\\/")
    .replaceAll(/ +/g, " ")
    .trim()

const width = 120

export const comment = (paragraphs: ReadonlyArray<string | undefined>, indent = ""): string => {
  const texts = paragraphs.map((paragraph) => plain(paragraph ?? "")).filter((paragraph) => paragraph !== "")
  const [only] = texts
  if (only === undefined) return ""
  const short = `${indent}/** ${only} */`
  if (texts.length === 1 && short.length <= width) return `${short}\n`
  const lines = texts.flatMap((text, i) => [...(i === 0 ? [] : [""]), text])
  return [`${indent}/**`, ...lines.map((line) => `${indent} * ${line}`.trimEnd()), `${indent} */`, ""].join("\n")
}

/** A name in an object literal. `__proto__` without brackets would set the prototype. */
const keyOf = (name: string): string => (name === "__proto__" ? '["__proto__"]' : fieldName(name))

/** Of an object, which may be indented. */
const literalWidth = 110

export const literal = (value: unknown, indent = ""): string => {
  if (typeof value === "string") return quoted(value)
  if (Array.isArray(value)) return `[${value.map((item) => literal(item, indent)).join(", ")}]`
  if (!isJson(value)) return JSON.stringify(value) ?? "undefined"
  const fields = Object.entries(value).map(([name, item]) => `${keyOf(name)}: ${literal(item, `${indent}  `)}`)
  const line = `{ ${fields.join(", ")} }`
  return fields.length <= 4 && line.length + indent.length <= literalWidth && !line.includes("\n")
    ? line
    : fieldLines(value, indent)
}

export const fieldLines = (value: object, indent = ""): string => {
  const fields = Object.entries(value).map(
    ([name, item]) => `\n${indent}  ${keyOf(name)}: ${literal(item, `${indent}  `)}`
  )
  return `{${fields.join(",")}\n${indent}}`
}

export const nameLines = (names: ReadonlyArray<string>): string => {
  const line = `{ ${names.join(", ")} }`
  return line.length <= literalWidth ? line : `{\n${names.map((name) => `  ${name}`).join(",\n")}\n}`
}
