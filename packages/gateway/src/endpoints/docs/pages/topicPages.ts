import type { Outcome } from "@tollgate/contract/Outcome"
import { byStatus, type DeclaredStatus } from "@tollgate/contract/errors/ApiError"
import { families, type Family } from "@tollgate/contract/errors/Family"
import { type Code, codes } from "@tollgate/contract/errors/codes"
import { encode } from "@tollgate/contract/errors/encode"
import { codeWords } from "@tollgate/contract/reference/errorWords"
import { layout } from "@tollgate/contract/reference/words"
import { type Html, html } from "../../../html/html.ts"
import type { Site } from "../Site.ts"
import { topicHref } from "../addresses.ts"
import { codeBlock, table } from "../elements.ts"
import { curlOf } from "../examples.ts"
import { frame, heading, linksOf } from "../frame.ts"
import { ruleSections } from "../guides.ts"
import { rendered } from "../markdown.ts"

export const rulesPage = (site: Site): Html => {
  const links = linksOf(site)
  const sections = ruleSections(site.names)
  return frame(
    site,
    {
      title: "Rules",
      description: "Retries, charges, rounding, limits, idempotency, streams and tasks.",
      href: topicHref(site.prefix, "rules")
    },
    html`<article class="text">
      <h1>Rules</h1>
      <p class="lead">
        What holds for every operation: when a call is charged, when it may be repeated, and what limits it.
      </p>
      <ul class="contents" aria-label="On this page">
        ${sections.map(({ id, title }) => html`<li><a href="#${id}">${title}</a></li>`)}
      </ul>
      ${sections.map(({ blocks, id, title }) => html`<section>${heading(id, title)} ${rendered(blocks, title, links)}</section>`)}
    </article>`
  )
}

const ran: Readonly<Record<Outcome, string>> = { executed: "yes", "not executed": "no", unknown: "not known" }

const tagOf = (status: number): Html =>
  status in byStatus
    ? html`<code>${byStatus[status as DeclaredStatus].name}</code>`
    : html`<code>UnexpectedStatus</code>`

const all = Object.keys(codes) as ReadonlyArray<Code>

const codeTable = table({
  label: "Codes",
  ids: all,
  columns: [
    { title: "Code" },
    { title: "Status", isNumber: true },
    { title: "Ran?" },
    { title: "Repeat?" },
    { title: "In the client" }
  ],
  rows: all.map((code) => [
    html`<code>${code}</code><span class="meaning">${codeWords[code]}</span>`,
    html`${codes[code].status}`,
    html`${ran[codes[code].outcome]}`,
    html`${codes[code].repeat ? "yes" : "no"}`,
    tagOf(codes[code].status)
  ])
})

const exampleOf = (family: Family): unknown =>
  encode(family, {
    code: "model_not_found",
    message: "No model is called gpt-0.",
    requestId: "req_0f8b2c4d6e8f0a1b"
  }).body

const familyPart = ({ entries }: Site, family: Family): Html => {
  const own = entries.filter(({ operation }) => operation.family === family)
  return html`<section>
    <h3 id="${family}"><a class="here" href="#${family}">${family}</a></h3>
    ${codeBlock({ title: `${family}: 404 model_not_found`, syntax: "json", code: layout(exampleOf(family)) })}
    <p class="small soft">${own.map(({ href, id }, i) => html`${i > 0 && ", "}<a href="${href}">${id}</a>`)}</p>
  </section>`
}

export const errorsPage = (site: Site): Html =>
  frame(
    site,
    {
      title: "Errors",
      description: "Every error code, whether the call ran, and the shape of each family.",
      href: topicHref(site.prefix, "errors")
    },
    html`<article class="text">
      <h1>Errors</h1>
      <p class="lead">
        Every refusal has a code. The code says whether the call ran, so that nothing is paid twice, and whether the
        same request can succeed soon.
      </p>
      <p>
        Every answer has <code>X-Request-ID</code>. A code counts only with its own status: an upstream may use the same
        word for something else. What must not be repeated also has <code>X-Should-Retry: false</code>, which the SDKs
        of OpenAI and Anthropic obey.
      </p>
      ${heading("codes", "Codes")} ${codeTable}
      <p class="small soft">
        A failing upstream is 502 if it is native (models, rerank, video), and 503 if it is managed (data).
      </p>
      ${heading("families", "Families")}
      <p>
        An operation's errors have the shape that its SDKs expect. A 429 has <code>error.type</code>
        <code>rate_limit_error</code> and its code in every family.
      </p>
      ${families.map((family) => familyPart(site, family))}
    </article>`
  )

/** Where the document in force is, relative to the gateway's address. */
const documentPath = (contentHash: string): string => `/api/contracts/source?hash=${contentHash}&bundled=1`

export const openapiPage = (site: Site, contentHash: string): Html => {
  const { baseUrl, entries, prefix } = site
  const source = entries.find(({ operation }) => operation.id === "contracts.source")
  const code = source && curlOf(site, source)
  return frame(
    site,
    {
      title: "OpenAPI",
      description: "The interface as an OpenAPI 3.0.3 document, by its content hash.",
      href: topicHref(prefix, "openapi")
    },
    html`<article class="text">
      <h1>OpenAPI</h1>
      <p class="lead">The whole interface as one OpenAPI 3.0.3 document, with this gateway's names and bindings.</p>
      <p>
        <a href="${prefix}${documentPath(contentHash)}">Open the document</a>. Its address has the hash of its content,
        so that it never changes under you: when the API does, the old address answers 409.
      </p>
      ${code !== undefined && codeBlock({ title: "Download it", syntax: "sh", code })}
      ${heading("explore", "Explore it")}
      <p>
        Any OpenAPI tool reads it: Scalar, Swagger UI, Postman, Insomnia, or a generator of clients. Give the tool the
        address of the document. This gateway has no explorer built in, because the pages that you are reading show the
        same, with the prices in force.
      </p>
      ${codeBlock({ title: "Address of the document", syntax: "text", code: `${baseUrl}${documentPath(contentHash)}` })}
      ${heading("extensions", "What is beyond OpenAPI")}
      <ul>
        <li><code>x-definition</code>: whether the definition is complete or pending, and what is open.</li>
        <li><code>x-price-contract</code>: the rule by which the operation is billed.</li>
        <li>
          <code>x-replay-class</code>: whether a call may be repeated: <code>free</code>, <code>billed</code> or
          <code>create</code>.
        </li>
        <li><code>x-unbound-operations</code>: operations that have no path here yet.</li>
      </ul>
    </article>`
  )
}
