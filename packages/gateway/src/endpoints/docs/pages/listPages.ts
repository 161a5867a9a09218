import { untrustedText, type Html, html } from "../../../html/html.ts"
import type { Entry, Found, Group, Site } from "../Site.ts"
import { guidesHref, rootHref, topicHref, topics } from "../addresses.ts"
import { codeBlock, shortPrice } from "../elements.ts"
import { curlOf } from "../examples.ts"
import { anchorOf, breakable, capitalize, frame } from "../frame.ts"

const priceTag = ({ bound, price }: Entry): Html => {
  if (bound === undefined) return html`<span class="tag pending">not offered yet</span>`
  if (price.state === "priced") return html`${shortPrice(price)}`
  return html`<span class="tag ${price.state}">${shortPrice(price)}</span>`
}

export const row = (entry: Entry): Html =>
  html`<li>
    <a href="${entry.href}"
      ><b>${breakable(entry.id)}</b> <span class="what">${entry.operation.summary}</span>
      <span class="price">${priceTag(entry)}</span></a
    >
  </li>`

const group = ({ description, entries, name }: Group): Html =>
  html`<section aria-labelledby="${anchorOf(name)}">
    <h2 id="${anchorOf(name)}">${capitalize(name)}</h2>
    <p class="soft">${description}.</p>
    <ul class="rows">
      ${entries.map(row)}
    </ul>
  </section>`

export const indexPage = (site: Site): Html => {
  const { baseUrl, entries, groups, guides, names, prefix } = site
  const first = entries.find(({ operation }) => operation.id === "rerank") ?? entries[0]
  const code = first && curlOf(site, first)
  return frame(
    site,
    {
      title: "Docs",
      description: `The operations of ${names.provider}, a metered API gateway: prices, limits, errors and examples.`,
      href: rootHref(prefix)
    },
    html`<div class="hero">
        <div>
          <h1>One address and one key for models, video and paid data</h1>
          <p class="lead">
            ${names.provider} is a metered API gateway. Every operation says what it costs before it runs, keeps to the
            cap that you set, and says what was charged.
          </p>
          <p>
            Call <code>${baseUrl}</code> with your key in <code>Authorization: Bearer …</code>. The SDKs of OpenAI,
            Anthropic, Google and Cohere work as they are: <a href="${topicHref(prefix, "sdks")}">point them here</a>.
          </p>
        </div>
        ${
          code !== undefined &&
          codeBlock({ title: "A first call", syntax: "sh", code: `export TOLLGATE_KEY=tg_…\n\n${code}` })
        }
      </div>
      <ul class="cards">
        ${
          guides.groups.length > 0 &&
          html`<li>
            <a href="${guidesHref(prefix)}"><b>Guides</b><span>Set a gateway up, run it, and call it</span></a>
          </li>`
        }
        ${topics.map(
          ({ name, summary, title }) =>
            html`<li>
              <a href="${topicHref(prefix, name)}"><b>${title}</b><span>${summary}</span></a>
            </li>`
        )}
      </ul>
      <div class="start">${groups.map(group)}</div>`
  )
}

const result = ({ entry, href, text, title }: Found): Html =>
  entry === undefined
    ? html`<li>
        <a href="${href}"><b>${title}</b> <span class="what">${text}</span></a>
      </li>`
    : row(entry)

export const searchPage = (site: Site, query: string, found: ReadonlyArray<Found>): Html => {
  const shown = untrustedText(query, 100)
  return frame(
    site,
    { title: `Search: ${shown}`, description: "Results of a search.", href: "", query },
    html`<div class="text">
      <h1>${found.length === 0 ? "Nothing found" : `${found.length} ${found.length === 1 ? "result" : "results"}`}</h1>
      <p class="lead">for “${shown}”</p>
      ${
        found.length === 0
          ? html`<p>
              Try other words, in English, or look through
              <a href="${rootHref(site.prefix)}">all operations</a>.
            </p>`
          : html`<ul class="rows">
              ${found.map(result)}
            </ul>`
      }
    </div>`
  )
}

/** `near`: what the reader may have meant. A path without a name is not repeated: it may contain a key. */
export const missingPage = (site: Site, id?: string, near: ReadonlyArray<Found> = []): Html => {
  const rows = near.flatMap(({ entry }) => (entry === undefined ? [] : [row(entry)])).slice(0, 5)
  return frame(
    site,
    { title: "Page not found", description: "Page not found.", href: "" },
    html`<div class="text">
      <h1>Page not found</h1>
      <p class="lead">
        ${id === undefined ? "There is no page at this address." : html`There is no page called <code>${untrustedText(id, 100)}</code> here.`}
      </p>
      ${
        rows.length > 0 &&
        html`<p>Perhaps one of these:</p>
          <ul class="rows">
            ${rows}
          </ul>`
      }
      <p><a href="${rootHref(site.prefix)}">All operations</a></p>
    </div>`
  )
}
