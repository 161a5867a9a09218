import * as Headers from "@tollgate/contract/Headers"
import { isQuotable, type ParameterPending } from "@tollgate/contract/Operation"
import { aboutOtherParameters, takesOtherParameters } from "@tollgate/contract/otherParameters"
import { headerNames } from "@tollgate/contract/RateLimits"
import * as Schema from "effect/Schema"
import { type Html, html } from "../../html/html.ts"
import { topicHref } from "./addresses.ts"
import { type Field, fieldsIn } from "./fields.ts"
import { heading } from "./frame.ts"
import type { Entry, Site } from "./Site.ts"
import { inline } from "./markdown.ts"
import { table } from "./table.ts"

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

/** Parameters that the operator gave a name. */
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
          optional(Headers.tags(names), "What the call is filed under: team=search,job=nightly. Up to 8 tags.")
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
    ? "A JSON object in the format of the upstream. The interface does not define its fields; they are sent on unchanged."
    : "A JSON object."
}

/** What to send. */
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

/** What comes back. */
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
      ${fields.length === 0 && isOpen(entry, "response") && "The interface does not define the body; it passes through."}
    </p>
    ${answerPart("Body", fields)} ${answerPart("Headers", answerHeaders(site, entry))}
  </section>`
}
