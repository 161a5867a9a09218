import type { OfferedOperation } from "@tollgate/contract/account/Offer"
import * as declared from "@tollgate/contract/errors/Family"
import { families, type Family } from "@tollgate/contract/errors/Family"
import { Typed } from "@tollgate/contract/Open"
import * as Operation from "@tollgate/contract/Operation"
import * as limits from "@tollgate/contract/limits"
import { splitStyled } from "@tollgate/contract/QueryStyle"
import { writeBody } from "@tollgate/contract/Upload"
import * as Schema from "effect/Schema"
import * as Transformation from "effect/SchemaTransformation"

const isFamily = (name: string): name is Family => (families as ReadonlyArray<string>).includes(name)

const methods = { GET: "GET", POST: "POST", PUT: "PUT", PATCH: "PATCH", DELETE: "DELETE" } as const
const methodOf = (name: string): Operation.Method => (name in methods ? methods[name as Operation.Method] : "POST")

const isScalar = (value: unknown): boolean => typeof value !== "object" || value === null

/** A value as an address or a header has it: a list with commas, other objects as JSON. */
const textOf = (value: unknown): string => {
  if (isScalar(value)) return String(value)
  const isPlain = Array.isArray(value) && value.every((item) => isScalar(item) && !String(item).includes(","))
  return isPlain ? value.join(",") : JSON.stringify(value)
}

/** The form has values of the operation's own schema, which only the gateway checks. */
const Texts = Schema.Record(
  Schema.String,
  Schema.String.pipe(
    Schema.decodeTo(Schema.Unknown, Transformation.transform({ decode: (text): unknown => text, encode: textOf }))
  )
)

/** An operation that the client has no function for, because the operator added it. */
export const customOperation = (offered: OfferedOperation): Operation.Operation => {
  const method = methodOf(offered.method)
  const { body_type: type } = offered
  const parts = new Set(Object.values(offered.parts))
  const hasBody = parts.has("body") || (method !== "GET" && method !== "DELETE")
  return Operation.make({
    id: offered.id,
    category: "account",
    summary: offered.summary,
    method,
    path: offered.path,
    request: {
      ...(parts.has("path") ? { path: Texts } : {}),
      ...(!hasBody || parts.has("query") ? { query: Texts } : {}),
      ...(parts.has("header") ? { header: Texts } : {}),
      ...(hasBody ? { body: Schema.Unknown } : {})
    },
    success: Typed<object>(),
    mayBeEmpty: true,
    ...(offered.query_styles === undefined ? {} : { splitQuery: splitStyled(offered.query_styles) }),
    ...(type === undefined ? {} : { writeBody: (body: unknown) => writeBody(type, body) }),
    bytes: offered.answers_bytes === true ? "always" : "unless JSON",
    errors: declared.billed,
    family: isFamily(offered.family) ? offered.family : "data",
    // The gateway knows the price. The client only asks whether an answer may be paid twice, which `replay` says.
    price: { contract: "free" },
    limit: limits.standard,
    replay: offered.replay,
    upstream: "managed"
  })
}
