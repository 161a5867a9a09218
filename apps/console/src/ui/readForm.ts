import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as SchemaAST from "effect/SchemaAST"
import * as SchemaIssue from "effect/SchemaIssue"
import type { ReactNode } from "react"
import { usd } from "./amounts.ts"
import { parseUsd, Wrong } from "./parseUsd.ts"

interface CustomControl {
  readonly text: string
  readonly onChange: (text: string) => void
  readonly error: string | undefined
}

/** What a field asks for, and how its text becomes a value. The schema of the form tells `kind`, `required` and `empty`. */
export interface FormField {
  readonly label: string
  readonly hint?: ReactNode
  /** `usd`: an amount, whose value is micro-USD. Default: a text. */
  readonly kind?: "usd" | "count" | "lines" | "check" | "date" | "file" | "password"
  /** One of these texts. */
  readonly options?: ReadonlyArray<readonly [id: string, label: string]>
  readonly render?: (control: CustomControl) => ReactNode
  readonly initial?: string
  readonly required?: boolean
  /** The value of an empty text. Default: the field is left out. */
  readonly empty?: unknown
  readonly read?: (text: string) => unknown
  /** Whether it is asked for, by what the other fields have. Default: always. */
  readonly when?: (texts: Texts) => boolean
  /** Two of them stand side by side. */
  readonly half?: boolean
  /** Below the others, closed at first. */
  readonly folded?: boolean
}

export type Problems = Readonly<Record<string, string | undefined>>

const issuesOf = SchemaIssue.makeFormatterStandardSchemaV1()

const worded = (message: string): string =>
  message.startsWith("Missing key") ? "This is required." : `Enter ${message.replace(/^Expected /, "")}.`

/** A value as the schema takes it, or what is wrong with it by field, in the schema's words. */
const decode = <A>(
  schema: Schema.ConstraintDecoder<A>,
  value: unknown
): { readonly value: A; readonly problems?: never } | { readonly problems: Problems } => {
  const decoded = Schema.decodeUnknownResult(schema, { errors: "all" })(value)
  if (Result.isSuccess(decoded)) return { value: decoded.success }
  const { issues } = issuesOf(decoded.failure.issue)
  return { problems: Object.fromEntries(issues.map(({ message, path }) => [String(path?.[0]), worded(message)])) }
}

/** The same of an amount, whose bounds are in micro-USD. */
const inUsd = (problem: string): string =>
  problem.replace(
    /a value between (-?\d+) and (\d+)/,
    (_, from: string, to: string) => `an amount from ${usd(BigInt(from))} to ${usd(BigInt(to))}`
  )

export type Texts = Readonly<Record<string, string>>
export type Values = Readonly<Record<string, unknown>>

const valueOf = ({ empty, kind, read, required }: FormField, text: string): unknown => {
  if (kind === "check") return text !== ""
  if (text === "") return required === true ? new Wrong("This is required.") : empty
  if (read !== undefined) return read(text)
  if (kind === "count") return /^\d{1,15}$/.test(text) ? Number(text) : new Wrong("Enter a whole number.")
  if (kind !== "usd") return text
  const parsed = parseUsd(text)
  return parsed instanceof Wrong ? parsed : Number(parsed)
}

export interface Description<A> {
  /** Default: there are none, and the form asks for a confirmation. */
  readonly fields?: Readonly<Record<string, FormField | undefined>>
  /** What the API takes. It says what is wrong with a field. */
  readonly schema?: Schema.ConstraintDecoder<A>
  /** The value that the schema checks, if it is not the fields by their names. */
  readonly assemble?: (values: Values) => unknown
  /** What the schema cannot know. */
  readonly check?: (values: Values) => Problems
  /** Fields that were not touched are left out. */
  readonly changedOnly?: boolean
}

type Fields = ReadonlyArray<readonly [name: string, field: FormField]>

/** What the schema of a value tells of its field. */
const fromSchema = (schema: Schema.Constraint | undefined, name: string): Partial<FormField> => {
  const properties = schema?.ast._tag === "Objects" ? schema.ast.propertySignatures : []
  const type = properties.find((property) => property.name === name)?.type
  if (type === undefined) return {}
  const tags = (type._tag === "Union" ? type.types : [type]).map(({ _tag }) => _tag)
  const kind = tags.includes("Boolean") ? "check" : name.endsWith("_micros_usd") ? "usd" : "count"
  return {
    ...(tags.includes("Boolean") || tags.includes("Number") ? { kind } : {}),
    ...(tags.includes("Null") ? { empty: null } : { required: !SchemaAST.isOptional(type) })
  }
}

export const fieldsOf = <A>({ fields = {}, schema }: Description<A>): Fields =>
  Object.entries(fields).flatMap(([name, field]) =>
    field === undefined ? [] : [[name, { ...fromSchema(schema, name), ...field }] as const]
  )

/** Those that are asked for. */
export const shownIn = (fields: Fields, texts: Texts): Fields =>
  fields.filter(([, { when }]) => when === undefined || when(texts))

/** The values of the fields that are right, what is wrong with the others, and all of it if nothing is. */
export const readForm = <A>(description: Description<A>, texts: Texts) => {
  const { assemble = (values: Values): unknown => values, changedOnly = false, check, schema } = description
  const values: Record<string, unknown> = {}
  const problems: Record<string, string> = {}
  const fields = fieldsOf(description)
  const isUsd = (name: string) => fields.some(([each, { kind }]) => each === name && kind === "usd")
  for (const [name, field] of shownIn(fields, texts)) {
    const text = texts[name] ?? ""
    if (changedOnly && text === (field.initial ?? "")) continue
    const value = valueOf(field, text.trim())
    if (value instanceof Wrong) problems[name] = value.message
    else if (value !== undefined) values[name] = value
  }
  const made = assemble(values)
  const decoded = schema === undefined ? { value: made as A } : decode(schema, made)
  for (const [name, problem] of Object.entries({ ...check?.(values), ...decoded.problems })) {
    if (problem !== undefined) problems[name] ??= isUsd(name) ? inUsd(problem) : problem
  }
  for (const name of Object.keys(problems)) delete values[name]
  const isRight = decoded.problems === undefined && Object.keys(problems).length === 0
  return { values, problems, value: isRight ? decoded.value : undefined }
}
