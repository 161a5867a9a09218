import * as Headers from "@tollgate/contract/Headers"
import { isQuotable, type ParameterPending } from "@tollgate/contract/Operation"
import { headerNames } from "@tollgate/contract/RateLimits"
import { jsonSchema } from "@tollgate/contract/openapi/jsonSchema"
import { aboutOtherParameters, takesOtherParameters } from "@tollgate/contract/otherParameters"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import { type Html, html } from "../../html/html.ts"
import type { Entry, Site } from "./Site.ts"
import { topicHref } from "./addresses.ts"
import { table } from "./elements.ts"
import { heading } from "./frame.ts"
import { inline } from "./markdown.ts"

export interface Field {
  /** With the names of the objects around it: `output.task_id`, `results[].index`. */
  readonly name: string
  readonly type: string
  readonly required: boolean
  readonly note: string
}

type Json = Readonly<Record<string, unknown>>

const deepest = 4
/** A document from elsewhere may have any number of them, and multiply them by references. */
const mostFields = 500
const mostTypes = 8
const mostValues = 50

const record = (value: unknown): Json => (Predicate.isObject(value) ? (value as Json) : {})
const list = (value: unknown): ReadonlyArray<unknown> => (Array.isArray(value) ? value : [])

const longestChain = 32

/** Follows a reference, and leaves out that the value may be null. */
const plain = (
  schema: Json,
  definitions: Json,
  left = longestChain
): { readonly schema: Json; readonly isNullable: boolean } => {
  if (left === 0) return { schema: {}, isNullable: false }
  const reference = schema.$ref
  if (typeof reference === "string")
    return plain(record(definitions[reference.replace(/^.*\//, "")]), definitions, left - 1)
  const kinds = list(schema.anyOf).map(record)
  const [only, ...others] = kinds.filter(({ type }) => type !== "null")
  if (only === undefined || others.length > 0) return { schema, isNullable: false }
  return { schema: plain(only, definitions, left - 1).schema, isNullable: kinds.length > 1 }
}

const typeOf = (schema: Json, definitions: Json, depth = 0): string => {
  if (depth > deepest) return "any"
  if (schema.type === "array") {
    const { schema: items } = plain(record(schema.items), definitions)
    return `array of ${typeOf(items, definitions, depth + 1)}`
  }
  if (typeof schema.type === "string") return schema.type
  const kinds = list(schema.anyOf)
  if (kinds.length === 0) return "any"
  const shown = kinds
    .slice(0, mostTypes)
    .map((one) => typeOf(plain(record(one), definitions).schema, definitions, depth + 1))
  return [...new Set(shown), ...(kinds.length > mostTypes ? ["others"] : [])].join(" or ")
}

const valuesOf = (values: ReadonlyArray<unknown>): string => {
  const shown = values.slice(0, mostValues).map((value) => JSON.stringify(value))
  return [...shown, ...(values.length > mostValues ? [`and ${values.length - mostValues} more`] : [])].join(", ")
}

const noteOf = (schema: Json, isNullable: boolean): string => {
  const { description, format, minimum, minItems, title } = schema
  const values = list(schema.enum)
  return [
    ...(typeof description === "string" ? [description] : []),
    ...(typeof title === "string" ? [title] : []),
    ...(values.length === 0 ? [] : [valuesOf(values)]),
    ...(typeof format === "string" && format !== "int64" ? [format] : []),
    ...(typeof minimum === "number" ? [`${minimum} or more`] : []),
    ...(typeof minItems === "number" ? [`at least ${minItems}`] : []),
    ...(isNullable ? ["may be null"] : [])
  ].reduce((text, part) => (text === "" ? part : `${text}${/[.!?:]$/.test(text) ? " " : "; "}${part}`), "")
}

const inside = (
  schema: Json,
  definitions: Json,
  name: string,
  depth: number,
  left: { fields: number }
): Array<Field> => {
  if (depth > deepest) return []
  if (schema.type === "array") {
    const { schema: items } = plain(record(schema.items), definitions)
    return inside(items, definitions, `${name}[]`, depth + (items.type === "array" ? 1 : 0), left)
  }
  const required = new Set(list(schema.required))
  const found: Array<Field> = []
  for (const [key, value] of Object.entries(record(schema.properties))) {
    if (--left.fields < 0) break
    const { isNullable, schema: own } = plain(record(value), definitions)
    const full = name === "" ? key : `${name}.${key}`
    found.push({
      name: full,
      type: typeOf(own, definitions),
      required: required.has(key),
      note: noteOf(own, isNullable)
    })
    for (const field of inside(own, definitions, full, depth + 1, left)) found.push(field)
  }
  return found
}

/** The fields of a schema as they are on the wire, and of the objects inside. */
export const fieldsIn = (schema: Schema.Constraint): ReadonlyArray<Field> => {
  const { definitions, schema: top } = jsonSchema(schema)
  return inside(plain(top, definitions).schema, definitions, "", 0, { fields: mostFields })
}

/** Nothing if there are none. `word` marks the fields that are never missing. */
const fieldTable = (label: string, fields: ReadonlyArray<Field>, word: "required" | "always"): Html | false =>
  fields.length > 0 &&
  table({
    label,
    columns: [{ title: "Name" }, { title: "Type" }, { title: "Notes" }],
    rows: fields.map(({ name, note, required, type }) => [
      html`<code>${name}</code>`,
      html`<span class="type">${type}</span>`,
      html`${required && html`<span class="needed">${word}</span>`} ${inline(note)}`
    ])
  })

const optional = (name: string, note: string): Field => ({ name, type: "string", required: false, note })
const required = (name: string, note: string): Field => ({ ...optional(name, note), required: true })

const boundParameters = ({ bound, operation }: Entry): ReadonlyArray<Field> =>
  Object.entries(bound?.parameters ?? {}).map(([role, name]) => {
    const pending = operation.pending.find(
      (part): part is ParameterPending => part.open === "parameter" && part.role === role
    )
    return { name, type: pending?.type ?? "string", required: false, note: `The ${role}, under this gateway's name.` }
  })

const credentialField = ({ operation }: Entry): ReadonlyArray<Field> => {
  if (operation.access === "open") return []
  const also = {
    anthropic: " Or the key in x-api-key.",
    gemini: " Or the key in x-goog-api-key, or as ?key=."
  } as const
  const more = operation.family in also ? also[operation.family as keyof typeof also] : ""
  return [required("Authorization", `Bearer, and an API key or an access token.${more}`)]
}

const headerFields = ({ names }: Site, entry: Entry): ReadonlyArray<Field> => {
  const { bound, operation } = entry
  return [
    ...credentialField(entry),
    ...(operation.request.body === undefined
      ? []
      : [required("Content-Type", operation.request.bodyType ?? "application/json")]),
    ...Object.entries(bound?.request.headers ?? {}).map(([name, value]) => required(name, value)),
    ...(isQuotable(operation)
      ? [
          optional(Headers.idempotencyKey, "The same key for the same call, up to 255 characters. It is charged once."),
          optional(Headers.maxPrice(names), "The most that the call may cost, in USD."),
          optional(Headers.costMode(names), "quote: the price, and no call."),
          optional(Headers.tags(names), "Tags of the call, for usage reports: team=search,job=nightly. Up to 8.")
        ]
      : [])
  ]
}

const part = (title: string, fields: ReadonlyArray<Field>, otherwise?: string): Html | false =>
  (fields.length > 0 || otherwise !== undefined) &&
  html`<h3>${title}</h3>
    ${fieldTable(title, fields, "required")} ${otherwise !== undefined && html`<p class="soft">${otherwise}</p>`}`

const isOpen = ({ operation }: Entry, kind: "request" | "response"): boolean =>
  operation.pending.some(({ open }) => open === kind)

const bodyWords = (entry: Entry, fields: ReadonlyArray<Field>): string | undefined => {
  const { bodyType } = entry.operation.request
  if (bodyType !== undefined)
    return fields.length > 0 ? "Each is a part of a form." : "Bytes, which are sent on as they are."
  if (fields.length > 0) return "Fields that are not listed here are sent on unchanged."
  return isOpen(entry, "request")
    ? "A JSON object in the format of the upstream. Its fields are sent on unchanged."
    : "A JSON object."
}

export const requestSection = (site: Site, entry: Entry): Html => {
  const { body, path, query } = entry.operation.request
  const inBody = body === undefined ? [] : fieldsIn(body)
  const inQuery = query === undefined ? [] : fieldsIn(Schema.toType(query))
  const takesOthers = takesOtherParameters(entry.bound ?? entry.operation)
  return html`<section>
    ${heading("request", "Request")} ${part("Path", path === undefined ? [] : fieldsIn(Schema.toType(path)))}
    ${part(
      "Query",
      [...inQuery, ...boundParameters(entry)],
      takesOthers ? aboutOtherParameters(entry.operation) : undefined
    )}
    ${body !== undefined && part("Body", inBody, bodyWords(entry, inBody))}
    ${part("Headers", headerFields(site, entry))}
  </section>`
}

const answerHeaders = ({ names }: Site, { operation }: Entry): ReadonlyArray<Field> => [
  required(Headers.requestId, "The call's id, also on errors. Tell it to the operator."),
  ...(isQuotable(operation)
    ? [
        optional(Headers.costState(names), "settled, estimated, pending or none"),
        optional(Headers.cost(names), "What was charged, in micro-USD, where it is known before the body.")
      ]
    : []),
  optional(headerNames.remainingRequests, "What is left of this minute's requests. Limit and reset are beside it."),
  ...(operation.limit.tokens ? [optional(headerNames.remainingTokens, "The same for tokens.")] : [])
]

const answerPart = (title: string, fields: ReadonlyArray<Field>): Html | false =>
  fields.length > 0 &&
  html`<h3>${title}</h3>
    ${fieldTable(`${title} of the answer`, fields, "always")}`

export const answerSection = (site: Site, entry: Entry): Html => {
  const { contentType, event, success } = entry.operation
  const fields = contentType === "application/json" ? fieldsIn(success) : []
  return html`<section>
    ${heading("answer", "Answer")}
    <p>
      <code>200</code> with <code>${contentType}</code>${
        event !== undefined &&
        html`, or <code>text/event-stream</code> if a stream is asked for. The end of a stream names its cost:
          <a href="${topicHref(site.prefix, "rules")}#streams">streams</a>`
      }.
      ${fields.length === 0 && isOpen(entry, "response") && "The body is passed on as the upstream sends it."}
    </p>
    ${answerPart("Body", fields)} ${answerPart("Headers", answerHeaders(site, entry))}
  </section>`
}
