import { type Code, codes } from "@tollgate/contract/errors/codes"
import { codeWords } from "@tollgate/contract/reference/errorWords"
import * as Effect from "effect/Effect"
import { documentOf } from "../tools/catalogue/document.ts"
import { Ranking } from "../tools/catalogue/Ranking.ts"
import { type WeightedText, wordIndexOf } from "../tools/catalogue/WordIndex.ts"
import { guideHref, guides } from "./addresses.ts"
import { ruleSections } from "./markdown.ts"
import type { Entry, Found, Site } from "./Site.ts"

interface Document {
  readonly found: Found
  readonly texts: () => ReadonlyArray<WeightedText>
}

export const longestQuery = 200
const most = 30

const textsOf = (title: string, text: string): ReadonlyArray<WeightedText> => [
  { kind: "title", weight: 3, text: title, isTitle: true },
  { kind: "text", weight: 1, text }
]

const operationOf = (entry: Entry): Document => {
  const { bound, href, id, operation, price } = entry
  const { summary } = operation
  return {
    found: { href, title: id, text: summary, entry },
    texts: () =>
      bound === undefined
        ? textsOf(id, summary)
        : documentOf(
            bound,
            price.models.map(({ model }) => model)
          )
  }
}

const plainDocument = (found: Found, text = found.text): Document => ({
  found,
  texts: () => textsOf(found.title, text)
})

/** The first sentence, without its marks. */
const beginning = (text: string): string =>
  /^[^|]*?[.:](?=\s|$)/.exec(text.replaceAll(/[`*\n]/g, " ").replaceAll(/^- |\s+/g, " "))?.[0].trim() ?? ""

const documentsOf = ({ entries, names, prefix }: Site): ReadonlyArray<Document> => {
  const rules = guideHref(prefix, "rules")
  const errors = guideHref(prefix, "errors")
  return [
    ...entries.map(operationOf),
    ...guides.map(({ name, summary, title }) => plainDocument({ href: guideHref(prefix, name), title, text: summary })),
    ...ruleSections(names).map(({ id, text, title }) =>
      plainDocument({ href: `${rules}#${id}`, title: `Rules: ${title}`, text: beginning(text) }, text)
    ),
    ...(Object.keys(codes) as ReadonlyArray<Code>).map((code) =>
      plainDocument({ href: `${errors}#${code}`, title: `${codes[code].status} ${code}`, text: codeWords[code] })
    )
  ]
}

/** Finds pages by words. */
export type Search = (query: string) => ReadonlyArray<Found>

/** A search that finds pages as agents find operations. */
export const makeSearch = Effect.fnUntraced(function* (site: Site): Effect.fn.Return<Search> {
  const documents = documentsOf(site)
  const ranking = new Ranking(yield* wordIndexOf(documents, ({ texts }) => texts()))
  return (query) => {
    const bounded = query.slice(0, longestQuery).toWellFormed().trim()
    const exact = documents.filter(({ found }) => found.entry?.id === bounded).map(({ found }) => found)
    const ranked = ranking.rank(bounded).flatMap(({ index }) => documents[index]?.found ?? [])
    return [...new Set([...exact, ...ranked])].slice(0, most)
  }
})
