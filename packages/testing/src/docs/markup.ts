const entities: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', "#39": "'" }

/** The text of markup that the template `html` made. */
export const textOf = (markup: string): string =>
  markup.replaceAll(/<[^>]*>/g, "").replaceAll(/&(#?\w+);/g, (_, name: string) => entities[name] ?? "")

export const hrefsIn = (page: string): ReadonlyArray<string> =>
  [...page.matchAll(/\shref="([^"]*)"/g)].map(([, href = ""]) => textOf(href))

export const idsIn = (page: string): ReadonlyArray<string> =>
  [...page.matchAll(/\sid="([^"]*)"/g)].map(([, id = ""]) => textOf(id))

export interface Block {
  /** `curl`, `effect`, `promises` or `sdk`, if it is one of an operation's examples. */
  readonly language: string | undefined
  readonly title: string
  readonly code: string
}

const blockPattern =
  /<figure class="code"(?: data-language="(\w+)")?\s*>\s*<figcaption>([^<]*)<\/figcaption>\s*<pre[^>]*><code>(.*?)<\/code>/gs

export const blocksIn = (page: string): ReadonlyArray<Block> =>
  [...page.matchAll(blockPattern)].map(([, language, title = "", code = ""]) => ({
    language,
    title: textOf(title),
    code: textOf(code)
  }))
