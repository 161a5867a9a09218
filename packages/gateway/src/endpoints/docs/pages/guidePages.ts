import { plainText } from "@tollgate/contract/Markdown"
import { type Html, html } from "../../../html/html.ts"
import type { Site } from "../Site.ts"
import { guideHref, guidesHref, rootHref } from "../addresses.ts"
import { frame, linksOf } from "../frame.ts"
import type { Guide } from "../guides.ts"
import { type Block, inline, type Links, rendered } from "../markdown.ts"

export const guidesPage = (site: Site): Html => {
  const { guides, prefix } = site
  return frame(
    site,
    { title: "Guides", description: "Guides for callers and for operators.", href: guidesHref(prefix) },
    html`<article class="text">
      <p class="crumbs"><a href="${rootHref(prefix)}">Docs</a></p>
      <h1>Guides</h1>
      <p class="lead">Guides for callers and for operators.</p>
      ${guides.groups.map(
        (group) =>
          html`<section>
            <h2>${group.title}</h2>
            <ul class="rows words">
              ${group.guides.map(
                ({ name, summary, title }) =>
                  html`<li>
                    <a href="${guideHref(prefix, name)}"><b>${title}</b> <span class="what">${summary}</span></a>
                  </li>`
              )}
            </ul>
          </section>`
      )}
    </article>`
  )
}

/** A longer first paragraph is easier to read as text. */
const longestLead = 320

/** With fewer headings than these, a list of them is longer than looking. */
const leastContents = 3

const contents = ({ blocks }: Guide): Html | false => {
  const headings = blocks.flatMap((block) => (block.kind === "heading" && block.level === 2 ? [block] : []))
  return (
    headings.length >= leastContents &&
    html`<ul class="contents" aria-label="On this page">
      ${headings.map(({ id, text }) => html`<li><a href="#${id}">${plainText(text)}</a></li>`)}
    </ul>`
  )
}

/** The chapters of a longer guide are folded: a link to one, or a search in the page, opens it. */
const longestOpen = 20_000

const folded = (blocks: ReadonlyArray<Block>, label: string, links: Links): ReadonlyArray<Html> => {
  const starts = blocks.flatMap((block, at) => (block.kind === "heading" && block.level === 2 ? [at] : []))
  const chapters = starts.map((start, i) => {
    const [heading, ...inside] = rendered(blocks.slice(start, starts[i + 1]), label, links)
    return html`<details class="chapter">
      <summary>${plainHeading(blocks[start])}</summary>
      ${heading} ${inside}
    </details>`
  })
  return [...rendered(blocks.slice(0, starts[0]), label, links), ...chapters]
}

const plainHeading = (block: Block | undefined): string => (block?.kind === "heading" ? plainText(block.text) : "")

export const guidePage = (site: Site, guide: Guide): Html => {
  const { name, summary, title } = guide
  const links = linksOf(site)
  const [first, ...rest] = guide.blocks
  const isLong = guide.sections.reduce((sum, { text }) => sum + text.length, 0) > longestOpen
  const hasLead = first?.kind === "paragraph" && !first.text.startsWith("![") && first.text.length <= longestLead
  return frame(
    site,
    { title, description: summary, href: guideHref(site.prefix, name) },
    html`<article class="text guide">
      <p class="crumbs">
        <a href="${rootHref(site.prefix)}">Docs</a> / <a href="${guidesHref(site.prefix)}">Guides</a>
      </p>
      <h1>${title}</h1>
      ${hasLead && html`<p class="lead">${inline(first.text, links)}</p>`} ${contents(guide)}
      ${(isLong ? folded : rendered)(hasLead ? rest : guide.blocks, title, links)}
    </article>`
  )
}
