import type { Html } from "../../html/html.ts"
import { guideHref, rootHref, topicHref, topics } from "./addresses.ts"
import type { Site } from "./Site.ts"

const entities: Readonly<Record<string, string>> = {
  "&amp;": "&",
  "&lt;": "<",
  "&gt;": ">",
  "&quot;": '"',
  "&#39;": "'"
}

const decoded = (text: string): string =>
  text.replaceAll(/&(?:amp|lt|gt|quot|#39);/g, (entity) => entities[entity] ?? "")

/** Elements that are of no use in a text, with what is in them. */
const left = new Set(["script", "style", "nav", "header", "footer", "svg", "button", "form", "label", "summary"])

const blocks = new Set([
  "p",
  "div",
  "section",
  "article",
  "ul",
  "ol",
  "table",
  "details",
  "summary",
  "figcaption",
  "dl"
])

const cell = (text: string): string => ` ${text.trim().replaceAll("|", "\\|")} |`

/** What is in one of our own pages, as Markdown. Links are addresses at `origin`. */
export const markdownIn = (page: Html, origin: string): string => {
  let out = ""
  let hidden: string | undefined
  let depth = 0
  let isPre = false
  let columns = 0
  let head = 0
  const marks: Array<readonly [start: number, href: string]> = []
  const block = (text = "") => (out = `${out.trimEnd()}\n\n${text}`)
  const line = (text: string) => (out = `${out.trimEnd()}${/\n\s*\n\s*$/.test(out) ? "\n\n" : "\n"}${text}`)
  const open = (name: string, attributes: string) => {
    if (left.has(name) || attributes.includes("crumbs")) [hidden, depth] = [name, 1]
    else if (/^h\d$/.test(name)) block(`${"#".repeat(Number(name[1]))} `)
    else if (name === "pre") [isPre, out] = [true, `${out.trimEnd()}\n\n\`\`\`\n`]
    else if (name === "code" && !isPre) out += "`"
    else if (name === "li" || name === "dt") line("- ")
    else if (name === "br") out += "\n"
    else if (name === "tr") {
      columns = 0
      line("|")
    } else if (name === "thead") head = 1
    else if (name === "a" || name === "th" || name === "td") {
      marks.push([out.length, /\bhref="([^"]*)"/.exec(attributes)?.[1] ?? ""])
    } else if (blocks.has(name)) block()
  }
  const close = (name: string) => {
    if (name === "pre") [isPre, out] = [false, `${out.trimEnd()}\n\`\`\`\n\n`]
    else if (name === "code" && !isPre) out += "`"
    else if (name === "dt") out = `${out.trimEnd()}: `
    else if (name === "strong") out += " "
    else if (name === "tr" && head === 1) [head, out] = [0, `${out.trimEnd()}\n|${" --- |".repeat(columns)}`]
    else if (name === "th" || name === "td") {
      const [start = 0] = marks.pop() ?? []
      columns++
      out = out.slice(0, start).trimEnd() + cell(out.slice(start))
    } else if (name === "a") {
      const [start = 0, href = ""] = marks.pop() ?? []
      const text = out.slice(start).trim()
      if (text === "" || href === "" || href.startsWith("#")) return
      out = `${out.slice(0, start)}[${text}](${href.startsWith("/") ? origin : ""}${decoded(href)})`
    } else if (blocks.has(name) || /^h\d$/.test(name)) block()
  }
  const [, main = ""] = /<main[^>]*>([^]*)<\/main>/.exec(page.toString()) ?? []
  for (const [, slash, name = "", attributes = "", text] of main.matchAll(/<(\/?)([a-z]+\d?)([^>]*)>|([^<]+)/g)) {
    if (hidden !== undefined) {
      if (name === hidden) depth += slash === "/" ? -1 : 1
      if (depth === 0) hidden = undefined
    } else if (text !== undefined) {
      const shown = isPre ? decoded(text) : decoded(text).replaceAll(/\s+/g, " ")
      out += /\s$/.test(out) && !isPre ? shown.trimStart() : shown
    } else if (slash === "/") close(name)
    else open(name, attributes)
  }
  return `${out.trim()}\n`
}

/** Where the gateway is, without the path before its own. */
export const originOf = ({ baseUrl, prefix }: Site): string => baseUrl.slice(0, baseUrl.length - prefix.length)

/** The list of pages that programs read first (llmstxt.org). */
export const llmsText = (site: Site): string => {
  const { groups, guides, names, prefix } = site
  const origin = originOf(site)
  const line = (href: string, title: string, text: string) => `- [${title}](${origin}${href}.md): ${text}`
  return [
    `# ${names.provider}`,
    `> One API for many models and data, each call metered and priced in micro-USD. Base URL: ${site.baseUrl}. Send the key as Authorization: Bearer.`,
    `## Reference\n\n${topics.map(({ name, summary, title }) => line(topicHref(prefix, name), title, summary)).join("\n")}`,
    ...guides.groups.map(
      ({ guides, title }) =>
        `## ${title}\n\n${guides.map(({ name, summary, title }) => line(guideHref(prefix, name), title, summary)).join("\n")}`
    ),
    ...groups.map(
      ({ entries, name }) =>
        `## Operations: ${name}\n\n${entries.map(({ href, id, operation }) => line(href, id, operation.summary)).join("\n")}`
    ),
    `## Optional\n\n- [OpenAPI document](${site.baseUrl}/openapi.json): the whole interface, for programs\n- [All pages](${site.baseUrl}/llms-full.txt): in one file\n- [Search](${origin}${rootHref(prefix)}?q=): add what you look for\n`
  ].join("\n\n")
}

/** Programs that index pages find the documentation, and nothing that is for callers. */
export const robotsText = "User-agent: *\nAllow: /docs\nAllow: /llms\nAllow: /openapi.json\nDisallow: /\n"
