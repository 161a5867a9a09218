import { type Code, codes } from "@tollgate/contract/errors/codes"
import { codeWords } from "@tollgate/contract/reference/errorWords"
import * as Effect from "effect/Effect"
import { documentOf, kinds, type Texts } from "../catalogue/document.ts"
import { textIndexOf } from "../catalogue/TextIndex.ts"
import { guideHref, topicHref, topics } from "./addresses.ts"
import { type Guide, ruleSections } from "./guides.ts"
import { beginning } from "./markdown.ts"
import type { Entry, Found, Site } from "./Site.ts"

interface Document {
  readonly found: Found
  readonly texts: () => Texts
}

export const longestQuery = 200
const most = 30

const operationOf = (entry: Entry): Document => {
  const { bound, href, id, operation, price } = entry
  const { summary } = operation
  const models = price.models.map(({ model }) => model)
  return {
    found: { kind: "Operation", href, title: id, text: summary, entry },
    texts: () => (bound === undefined ? { id, summary } : documentOf(bound, models))
  }
}

const plainDocument = (found: Found, text = found.text): Document => ({
  found,
  texts: () => ({ summary: found.title, description: text })
})

const partsOf = (prefix: string, { name, sections, summary, title: guide }: Guide): ReadonlyArray<Document> =>
  sections.map(({ blocks, id, text, title }) => {
    const href = guideHref(prefix, name)
    return plainDocument(
      title === undefined
        ? { kind: "Guide", href, title: guide, text: summary }
        : { kind: "Guide", href: `${href}#${id}`, title: `${guide} › ${title}`, text: beginning(blocks) },
      text
    )
  })

const documentsOf = ({ entries, guides, names, prefix }: Site): ReadonlyArray<Document> => {
  const rules = topicHref(prefix, "rules")
  const errors = topicHref(prefix, "errors")
  return [
    ...topics.map(({ name, summary, title }) =>
      plainDocument({ kind: "Page", href: topicHref(prefix, name), title, text: summary })
    ),
    ...ruleSections(names).map(({ blocks, id, text, title }) =>
      plainDocument({ kind: "Rule", href: `${rules}#${id}`, title: `Rules: ${title}`, text: beginning(blocks) }, text)
    ),
    ...[...guides.byName.values()].flatMap((guide) => partsOf(prefix, guide)),
    ...(Object.keys(codes) as ReadonlyArray<Code>).map((code) =>
      plainDocument({
        kind: "Error",
        href: `${errors}#${code}`,
        title: `${codes[code].status} ${code}`,
        text: codeWords[code]
      })
    ),
    ...entries.map(operationOf)
  ]
}

/** Finds pages by words. */
export type Search = (query: string) => ReadonlyArray<Found>

/** A search that finds pages as agents find operations. */
export const makeSearch = Effect.fnUntraced(function* (site: Site): Effect.fn.Return<Search> {
  const documents = documentsOf(site)
  const index = yield* textIndexOf(documents, kinds, ({ texts }) => texts())
  return (query) => {
    const bounded = query.slice(0, longestQuery).toWellFormed().trim()
    const exact = documents.filter(({ found }) => found.entry?.id === bounded).map(({ found }) => found)
    const ranked = index(bounded).found.flatMap(({ index }) => documents[index]?.found ?? [])
    return [...new Set([...exact, ...ranked])].slice(0, most)
  }
})
