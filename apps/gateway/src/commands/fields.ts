import { type ApiRoute, parametersOf } from "@tollgate/contract/Api"
import { parseUsd } from "@tollgate/contract/Money"
import * as Argument from "effect/cli/Argument"
import * as CliError from "effect/cli/CliError"
import * as Flag from "effect/cli/Flag"
import * as Param from "effect/cli/Param"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as SchemaAST from "effect/SchemaAST"
import { decode } from "../config/text/issues.ts"
import { rejectKeyItself } from "./inputs.ts"

/** A value that a command takes for a body or a query. A path of two is in an object. */
export interface Field {
  readonly path: readonly [string] | readonly [string, string]
  readonly name: string
  readonly isFlag: boolean
  /** Left out beside others of its object, it is an empty list. */
  readonly isList: boolean
  readonly param: Param.Param<Param.ParamKind, unknown>
}

/** How a text becomes a value. `undefined`: it does not. */
interface Kind {
  readonly metavar: string
  readonly expected: string
  readonly read: (text: string, now: number) => unknown
}

const usd: Kind = {
  metavar: "usd",
  expected: "an amount of USD with at most six decimals, such as 12.50",
  read: (text) => {
    const nano = Option.getOrUndefined(parseUsd(text.replace(/^[+-]/, "")))
    if (nano === undefined || nano % 1000n !== 0n) return undefined
    return Number(nano / 1000n) * (text.startsWith("-") ? -1 : 1)
  }
}

const units: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3_600, d: 86_400 }

const duration: Kind = {
  metavar: "time",
  expected: "a time such as 90s, 30m, 24h or 7d",
  read: (text) => {
    const [, count, unit = ""] = /^(\d{1,7})([smhd])$/.exec(text) ?? []
    return count === undefined ? undefined : Number(count) * (units[unit] ?? 0)
  }
}

const whole = (text: string) => (/^\d{1,10}$/.test(text) ? Number(text) : undefined)

const count: Kind = { metavar: "number", expected: "a whole number", read: whole }

const days: Kind = {
  metavar: "number",
  expected: "a whole number of days from now",
  read: (text, now) => {
    const days = whole(text)
    return days === undefined ? undefined : new Date(now + days * 86_400_000).toISOString()
  }
}

const list: Kind = {
  metavar: "names",
  expected: "names, separated by commas",
  read: (text) => {
    const all = text.split(",").map((part) => part.trim())
    return all.every((part) => /^[\w .:{}/-]{1,100}$/.test(part)) ? all : undefined
  }
}

const anyText: Kind = { metavar: "text", expected: "a text", read: (text) => text }

const kindOf = (name: string, ast: SchemaAST.AST): Kind => {
  if (name.endsWith("_micros_usd")) return usd
  if (name.endsWith("_seconds")) return duration
  if (name === "ends_at") return days
  // A query takes numbers as texts.
  if (ast._tag === "Number") return ast.encoding === undefined ? count : { ...count, read: anyText.read }
  return ast._tag === "Arrays" ? list : anyText
}

/** Names of flags that are not those of their fields. */
const names: Readonly<Record<string, string>> = {
  amount_micros_usd: "usd",
  "allowed.categories": "categories",
  "allowed.operations": "operations",
  day_limit_micros_usd: "per-day",
  day_budget_micros_usd: "per-day",
  month_budget_micros_usd: "per-month",
  ends_at: "days",
  reads_usage: "usage"
}

export const nameOf = (path: string): string =>
  names[path] ?? path.replace(/_micros_usd$|_seconds$/, "").replaceAll("_", "-")

/** The schema's own words. They may be on the type, or on its last check. */
const descriptionOf = (ast: SchemaAST.AST, nullable = false): string => {
  const { annotations } = withoutNull(ast)
  const [description, expected] = ["description", "expected"].map((key) => SchemaAST.resolveAt<string>(key)(ast))
  const own = typeof annotations?.description === "string" ? annotations.description : undefined
  const text = (description ?? own ?? expected ?? "")
    .replaceAll("`null`", "none")
    .replaceAll("`", "")
    .replace(/\.$/, "")
  return nullable && !text.includes("none") ? `${text}; none removes it` : text
}

const members = (ast: SchemaAST.AST): ReadonlyArray<SchemaAST.AST> =>
  ast._tag === "Union" ? ast.types.flatMap(members) : [ast]

const withoutNull = (ast: SchemaAST.AST): SchemaAST.AST =>
  ast._tag === "Union" && ast.types.some(({ _tag }) => _tag === "Null")
    ? (ast.types.find(({ _tag }) => _tag !== "Null") ?? ast)
    : ast

/** What the schema expects instead of the value, if it refuses it. */
const refusal = (ast: SchemaAST.AST, value: unknown): string | undefined => {
  const decoded = decode(Schema.make<Schema.ConstraintDecoder<unknown>>(ast), value, [])
  if (Result.isSuccess(decoded)) return undefined
  return /^expected (.*), found /.exec(decoded.failure[0]?.message ?? "")?.[1] ?? ""
}

const paramOf = (kind: "flag" | "argument", name: string, field: string, ast: SchemaAST.AST, nullable: boolean) => {
  const literals = members(ast).flatMap((one) => (one._tag === "Literal" ? [String(one.literal)] : []))
  if (kind === "flag" && literals.length > 0) {
    const choices = literals.map((text) => [text.toLowerCase(), text] as const)
    return Flag.ChoiceWithValue(name, nullable ? [...choices, ["none", null] as const] : choices)
  }
  const { expected, metavar, read } = kindOf(field, withoutNull(ast))
  const text = kind === "flag" ? Flag.withMetavar(Flag.String(name), metavar) : Argument.String(name)
  return Param.mapEffect(
    text,
    Effect.fnUntraced(function* (given: string) {
      if (nullable && given === "none") return null
      const value = read(given, yield* Clock.currentTimeMillis)
      const problem = value === undefined ? expected : refusal(withoutNull(ast), value)
      if (problem === undefined) return value
      const wanted = `${problem || expected}${nullable ? ", or none" : ""}`
      return yield* new CliError.InvalidValue({ option: name, value: given, expected: wanted, kind })
    })
  )
}

const propertiesOf = (ast: SchemaAST.AST) =>
  ast._tag === "Objects" ? ast.propertySignatures.map(({ name, type }) => ({ name: String(name), type })) : []

/** Required fields are arguments, in their order. A note is a flag, as it is where it may be left out. */
const fieldAt = (path: Field["path"], type: SchemaAST.AST, isOptional: boolean, nullable: boolean): Field => {
  const field = path.at(-1) ?? ""
  const name = nameOf(path.join("."))
  const isFlag = isOptional || field === "note"
  const isList = withoutNull(type)._tag === "Arrays"
  const canBeNone = nullable && (!isList || path.length === 1)
  const common = { path, name, isFlag, isList }
  if (withoutNull(type)._tag === "Boolean") {
    const flag = Flag.withDescription(Flag.Boolean(name), descriptionOf(type))
    return { ...common, param: Flag.map(Flag.withDefault(flag, false), (is) => (is ? true : undefined)) }
  }
  const described = Param.withDescription(
    paramOf(isFlag ? "flag" : "argument", name, field, type, canBeNone),
    `${descriptionOf(type, canBeNone)}${field === "ends_at" ? ", in days from now" : ""}`
  )
  return { ...common, param: isOptional ? Param.map(Param.optional(described), Option.getOrUndefined) : described }
}

/** The fields of a body or a query as flags and arguments. The fields of an object are flags of their own. */
export const fieldsOf = (schema: Schema.Constraint | undefined): ReadonlyArray<Field> =>
  propertiesOf(schema?.ast ?? SchemaAST.unknown).flatMap(({ name, type }) => {
    const nullable = members(type).some(({ _tag }) => _tag === "Null")
    const inner = propertiesOf(withoutNull(type))
    if (inner.length === 0) return [fieldAt([name], type, type.context?.isOptional === true, nullable)]
    const fields = inner.map((part, i) => fieldAt([name, part.name], part.type, true, nullable && i === 0))
    if (!nullable || !fields[0]?.isList) return fields
    const all = Flag.withDescription(Flag.Boolean("all"), "Everything")
    const param = Flag.map(Flag.withDefault(all, false), (is) => (is ? null : undefined))
    return [...fields, { path: [name, ""] as const, name: "all", isFlag: true, isList: true, param }]
  })

/** The ids in a route's path, as arguments: `/accounts/{id}` takes an account. */
export const idsOf = ({ example, path }: ApiRoute) =>
  parametersOf(path).map((parameter) => {
    const noun = /([a-z]+)s\/$/.exec(path.split(`{${parameter}}`)[0] ?? "")?.[1] ?? parameter
    const form = (example.path?.[parameter] ?? "").replace(/\d+$/, "…")
    const argument = Argument.withDescription(Argument.String(noun), `The id of ${article(noun)}: ${form}`)
    return { parameter, noun, param: rejectKeyItself(argument) }
  })

const article = (noun: string): string => (/^[aeiou]/.test(noun) ? `an ${noun}` : `a ${noun}`)

type Given = Readonly<Record<string, unknown>>

const flags = (fields: ReadonlyArray<Field>): string => fields.map(({ name }) => `--${name}`).join(" and ")

export const assemble = (
  fields: ReadonlyArray<Field>,
  given: Given
): Result.Result<Readonly<Record<string, unknown>>, string> => {
  const body: Record<string, unknown> = {}
  for (const [outer, members] of Map.groupBy(fields, ({ path }) => path[0])) {
    const known = members.filter(({ name }) => given[name] !== undefined)
    const [first] = known
    if (first === undefined) continue
    if (first.path.length === 1) body[outer] = given[first.name]
    else {
      const nothing = known.find(({ name }) => given[name] === null)
      const others = known.filter((field) => field !== nothing)
      if (nothing !== undefined) {
        if (others.length > 0) return Result.fail(`${flags(others)} cannot go with ${wordsFor(nothing)}.`)
        body[outer] = null
        continue
      }
      const missing = members.filter((field) => !field.isList && !known.includes(field))
      if (missing.length > 0) return Result.fail(`${flags(known)} needs ${flags(missing)}.`)
      body[outer] = Object.fromEntries(
        members.flatMap(({ name, path: [, inner = ""] }) => (inner === "" ? [] : [[inner, given[name] ?? []]]))
      )
    }
  }
  return Result.succeed(body)
}

const wordsFor = ({ name }: Field): string => (name === "all" ? "--all" : `--${name} none`)
