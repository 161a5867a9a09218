import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as SchemaIssue from "effect/SchemaIssue"
import { usd } from "./amounts.ts"

export type Problems = Readonly<Record<string, string | undefined>>

const issuesOf = SchemaIssue.makeFormatterStandardSchemaV1()

const worded = (message: string): string =>
  message.startsWith("Missing key") ? "This is required." : `Enter ${message.replace(/^Expected /, "")}.`

/** A value as the schema takes it, or what is wrong with it by field, in the schema's words. */
export const decode = <A>(
  schema: Schema.ConstraintDecoder<A>,
  value: unknown
): { readonly value: A; readonly problems?: never } | { readonly problems: Problems } => {
  const decoded = Schema.decodeUnknownResult(schema, { errors: "all" })(value)
  if (Result.isSuccess(decoded)) return { value: decoded.success }
  const { issues } = issuesOf(decoded.failure.issue)
  return { problems: Object.fromEntries(issues.map(({ message, path }) => [String(path?.[0]), worded(message)])) }
}

/** The same of an amount, whose bounds are in micro-USD. */
export const inUsd = (problem: string): string =>
  problem.replace(
    /a value between (-?\d+) and (\d+)/,
    (_, from: string, to: string) => `an amount from ${usd(BigInt(from))} to ${usd(BigInt(to))}`
  )
