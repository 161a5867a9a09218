import { Html, html, mark } from "../../html/html.ts"
import type { Group, Site } from "./Site.ts"
import { guideHref, guidesHref, rootHref, topicHref, topics } from "./addresses.ts"
import { reference, ruleSections } from "./guides.ts"
import { headingOf, type Links, noFiles } from "./markdown.ts"
import { script } from "./script.ts"
import { style } from "./style.ts"

export interface Frame {
  readonly title: string
  /** For a preview of a link. */
  readonly description: string
  /** The address of the page, as the menu knows it. */
  readonly href: string
  readonly query?: string
}

const styleElement = Html.style(style)
const scriptElement = Html.script(script)

export const iconPrefix = "data:image/svg+xml,"

export const icon =
  "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 24 24' fill='none' stroke='%230b8174' stroke-width='2.5' stroke-linecap='round'%3E%3Cpath d='M5 21V8M2.5 21h5M8 11.5 21 4'/%3E%3Ccircle cx='5' cy='11' r='2.5' fill='%230b8174' stroke='none'/%3E%3C/svg%3E"

export const capitalize = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)

/** A long id breaks after a dot or an underscore. */
export const breakable = (id: string): ReadonlyArray<Html> => id.split(/(?<=[._])/).map((part) => html`${part}<wbr />`)

const item = (href: string, text: string | ReadonlyArray<Html>, here: string): Html =>
  html`<li>
    <a href="${href}" ${href === here && html` aria-current="page"`}>${text}</a>
  </li>`

/** The id of a category's heading on the first page. */
export const anchorOf = (category: string): string => category.replaceAll(/\W+/g, "-")

/** With more operations than these, a page's menu lists those of its own category only. */
const mostInMenu = 100

const entriesIn = ({ entries }: Group, here: string): Html =>
  html`<ul>
    ${entries.map((entry) => item(entry.href, breakable(entry.id), here))}
  </ul>`

const groupIn = (group: Group, here: string): Html =>
  html`<h2>${capitalize(group.name)}</h2>
    ${entriesIn(group, here)}`

/** The operations of the page's own category, then the others as links. */
const categoriesIn = ({ groups, prefix }: Site, here: string): ReadonlyArray<Html> => {
  const own = groups.find(({ entries }) => entries.some(({ href }) => href === here))
  const links = groups
    .filter((group) => group !== own)
    .map(({ entries, name }) =>
      item(`${rootHref(prefix)}#${anchorOf(name)}`, `${capitalize(name)} (${entries.length})`, here)
    )
  return [
    ...(own === undefined ? [] : [groupIn(own, here)]),
    html`<h2>${own === undefined ? "Operations" : "Other categories"}</h2>
      <ul>
        ${links}
      </ul>`
  ]
}

/** All guides, then the operations as links. */
const guidesIn = (site: Site, here: string): ReadonlyArray<Html> => [
  ...site.guides.groups.map(
    ({ guides, title }) =>
      html`<h2>${title}</h2>
        <ul>
          ${guides.map((guide) => item(guideHref(site.prefix, guide.name), guide.title, here))}
        </ul>`
  ),
  ...categoriesIn(site, here)
]

const operationsIn = (site: Site, here: string): ReadonlyArray<Html> =>
  site.entries.length > mostInMenu ? categoriesIn(site, here) : site.groups.map((group) => groupIn(group, here))

const menu = (site: Site, here: string): Html => {
  const { guides, hasGrants, prefix } = site
  const guidesPage = guidesHref(prefix)
  return html`<nav id="menu" popover aria-label="Pages">
    <ul>
      ${item(rootHref(prefix), "Start", here)} ${guides.groups.length > 0 && item(guidesPage, "Guides", here)}
      ${topics.map(({ name, title }) => item(topicHref(prefix, name), title, here))}
      ${hasGrants && item(`${prefix}/grants`, "Grants", here)}
    </ul>
    ${here.startsWith(guidesPage) ? guidesIn(site, here) : operationsIn(site, here)}
  </nav>`
}

export const heading = (id: string, title: string): Html => headingOf(2, id, [html`${title}`])

export const frame = (site: Site, { description, href, query = "", title }: Frame, content: Html): Html => {
  const { names, prefix } = site
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="description" content="${description}" />
        <meta name="color-scheme" content="light dark" />
        <title>${title} · ${names.provider}</title>
        <link rel="icon" href="${icon}" />
        ${href !== "" && html`<link rel="alternate" type="text/markdown" href="${href === rootHref(prefix) ? `${prefix}/llms.txt` : `${href}.md`}" />`}
        ${styleElement}
      </head>
      <body>
        <a class="skip" href="#content">Skip to the content</a>
        <header class="top">
          <a class="brand" href="${rootHref(prefix)}">${mark}<span>${names.provider}</span> <small>Docs</small></a>
          <form class="search" role="search" method="get" action="${rootHref(prefix)}">
            <label class="quiet" for="q">Search the docs</label>
            <input type="search" id="q" name="q" value="${query}" placeholder="Search the docs" maxlength="200" />
          </form>
          ${site.hasConsole && html`<a class="to-console" href="${prefix}/">Console</a>`}
          <button class="open-menu" type="button" popovertarget="menu">Menu</button>
        </header>
        <div class="sheet">
          ${menu(site, href)}
          <main id="content" tabindex="-1">
            ${content}
            <footer>
              <p>
                Made from this gateway's own definition, as
                <a href="${topicHref(prefix, "openapi")}">its OpenAPI document</a> is.
              </p>
            </footer>
          </main>
        </div>
        ${scriptElement}
      </body>
    </html> `
}

const inReference = ({ names, prefix }: Site, id: string | undefined): string => {
  if (id === "error-families") return `${topicHref(prefix, "errors")}#families`
  if (id === "rules") return topicHref(prefix, "rules")
  return ruleSections(names).some((section) => section.id === id)
    ? `${topicHref(prefix, "rules")}#${id}`
    : rootHref(prefix)
}

/** The links of the guides and rules: from file to file in the repository, from page to page here. */
export const linksOf = (site: Site): Links => ({
  href: (to) => {
    const [, name, id] = /^([\w-]+)\.md(?:#(.+))?$/.exec(to) ?? []
    if (name === undefined) return noFiles.href(to)
    if (name === reference) return inReference(site, id)
    return site.guides.byName.has(name)
      ? `${guideHref(site.prefix, name)}${id === undefined ? "" : `#${id}`}`
      : undefined
  },
  picture: (src) => site.guides.pictures.get(src),
  title: (file) =>
    file === `${reference}.md` ? "the reference" : site.guides.byName.get(file.replace(/\.md$/, ""))?.title
})
