import type { ApiRoute } from "@tollgate/contract/Api"
import * as Effect from "effect/Effect"
import * as SchemaAST from "effect/SchemaAST"
import * as Print from "../terminal/print.ts"

type Item = Readonly<Record<string, unknown>>

export const isItem = (value: unknown): value is Item =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** Fields that no other answer has. They are printed on a line of their own, to be copied. */
const secrets: ReadonlySet<string> = new Set(["key", "client_secret"])

/** What stands for null, where it is not `none`. */
const nothing: Readonly<Record<string, string>> = {
  ends_at: "never",
  allowed: "every operation",
  models: "all",
  addresses: "all",
  address: "",
  result: ""
}

const headOf = (field: string, noun: string): string => {
  if (field === "loss_micros_usd") return "lost to caps"
  return field === "id" ? noun : field.replace(/_micros_usd$|_at$|_ms$/, "").replaceAll("_", " ")
}

const cellOf = (field: string, value: unknown): string => {
  if (value === null) return nothing[field] ?? "none"
  if (field.endsWith("_micros_usd")) return Print.usd(BigInt(String(value)))
  if (field.endsWith("_ms")) return `${(Number(value) / 1_000).toFixed(1)} s`
  if (Array.isArray(value)) return value.join(" ")
  if (typeof value === "boolean") return value ? "yes" : "no"
  if (isItem(value)) {
    const parts = Object.entries(value).map(([name, part]) => cellOf(name, part))
    return parts.filter((part) => part !== "").join(" ")
  }
  const text = String(value)
  // A digest: its beginning tells it from others.
  return /^[0-9a-f]{64}$/.test(text) ? text.slice(0, 12) : text
}

const propertiesOf = (ast: SchemaAST.AST | undefined) => (ast?._tag === "Objects" ? ast.propertySignatures : [])

const columnsFor = (fields: ReadonlyArray<string>, noun: string) =>
  Object.fromEntries(
    fields.map((field) => [headOf(field, noun), (item: Item) => (field in item ? cellOf(field, item[field]) : "")])
  )

/** The list of this name in an answer: its fields, by the schema. */
export const listedIn = ({ success }: ApiRoute, name: string): ReadonlyArray<string> | undefined => {
  const type = propertiesOf(success.ast).find((property) => property.name === name)?.type
  return type?._tag === "Arrays" ? propertiesOf(type.rest[0]).map((property) => String(property.name)) : undefined
}

export const printRecord = Effect.fnUntraced(function* ({ success }: ApiRoute, noun: string, answer: Item) {
  const properties = propertiesOf(success.ast)
  const [hidden, shown] = [true, false].map((is) => properties.filter(({ name }) => secrets.has(String(name)) === is))
  const fields = (shown ?? []).map(({ name }) => String(name))
  yield* Print.record(Print.cells(columnsFor(fields, noun), answer))
  for (const { name, type } of hidden ?? []) {
    const words = SchemaAST.resolveAt<string>("description")(type) ?? ""
    yield* Print.line(`\n${String(answer[String(name)])}\n${words}`)
  }
})

export const printTable = (items: ReadonlyArray<Item>, fields: ReadonlyArray<string>, name: string, noun = "entry") =>
  Print.table(items, columnsFor(fields, noun), `There are no ${name}.`)

export const printFields = (fields: Item) => Print.record(Print.cells(columnsFor(Object.keys(fields), "id"), fields))

/** A blank line and a table under its title, or what is said instead if there are no rows. */
export const printRows = (title: string, items: ReadonlyArray<Item>, fields: ReadonlyArray<string>, none: string) =>
  items.length === 0
    ? Print.line(`\n${none}`)
    : Effect.andThen(Print.line(`\n${title}`), Print.table(items, columnsFor(fields, "id"), ""))
