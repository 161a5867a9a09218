import { byStatus, type DeclaredStatus } from "@tollgate/contract/errors/ApiError"
import { type Code, codes } from "@tollgate/contract/errors/codes"
import { encode } from "@tollgate/contract/errors/encode"
import { families, type Family } from "@tollgate/contract/errors/Family"
import { codeWords } from "@tollgate/contract/reference/errorWords"
import { layout } from "@tollgate/contract/reference/words"
import type { Outcome } from "@tollgate/contract/Outcome"
import { type Html, html } from "../../../html/html.ts"
import { topicHref } from "../addresses.ts"
import { codeBlock } from "../code.ts"
import { frame, heading } from "../frame.ts"
import type { Site } from "../Site.ts"
import { table } from "../table.ts"

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
