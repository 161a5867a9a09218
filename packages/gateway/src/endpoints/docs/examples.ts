import type { Example } from "@tollgate/contract/reference/Example"
import { type Language, languages, type Snippet } from "@tollgate/contract/reference/snippets/Snippet"
import { snippetsOf } from "@tollgate/contract/reference/snippets/snippets"
import { type Html, html } from "../../html/html.ts"
import { codeBlock } from "./elements.ts"
import { inline } from "./markdown.ts"
import type { Entry, Site } from "./Site.ts"

interface Written {
  readonly example: Example
  readonly snippets: ReadonlyArray<Snippet>
}

/** Nothing for an operation without a path. */
export const writtenFor = ({ target }: Site, { bound, examples, operation }: Entry): ReadonlyArray<Written> =>
  bound === undefined
    ? []
    : examples.map((example) => ({
        example,
        snippets: snippetsOf(target, { operation, bound, examples, example })
      }))

export const curlOf = (site: Site, entry: Entry): string | undefined => writtenFor(site, entry)[0]?.snippets[0]?.code

const isIn = (language: Language, { snippets }: Written): boolean =>
  snippets.some((snippet) => snippet.language === language)

const titles: Readonly<Record<Exclude<Language, "sdk">, string>> = {
  curl: "curl",
  promises: "Client",
  effect: "Effect"
}

/** The SDK has its own name, unless the examples use several. */
const titleOf = (language: Language, written: ReadonlyArray<Written>): string => {
  if (language !== "sdk") return titles[language]
  const all = written.flatMap(({ snippets }) => snippets.filter((snippet) => snippet.language === language))
  const names = new Set(all.map(({ title }) => title))
  return names.size === 1 ? ([...names][0] ?? "") : "Official SDK"
}

const without = "Use curl, or any HTTP client."

/** What stands in place of code. */
const notes: Readonly<Record<Language, string>> = {
  curl: "",
  promises: `The client has no function for an answer in this format. ${without}`,
  effect: "With Effect it is the client's function of the same name, with yield* in place of await.",
  sdk: `The official SDK does not make this call. ${without}`
}

const choice = (language: Language, title: string, isFirst: boolean): Html =>
  html`<label
    ><input type="radio" name="language" value="${language}" ${isFirst && html` checked`} /><span>${title}</span></label
  >`

const missing = (language: Language): Html => html`<p class="notice" data-language="${language}">${notes[language]}</p>`

const one = (written: Written, shown: ReadonlyArray<Language>): Html => {
  const { example, snippets } = written
  return html`${example.title !== undefined && html`<h3>${example.title}</h3>`}
  ${example.note !== undefined && html`<p class="small soft">${inline(example.note)}</p>`}
  ${shown.map((language) => {
    const snippet = snippets.find((snippet) => snippet.language === language)
    return snippet === undefined ? missing(language) : codeBlock(snippet)
  })}`
}

/** The calls of an operation, in the languages that can make at least one of them. */
export const examplesSection = (written: ReadonlyArray<Written>): Html | false => {
  const shown = languages.filter((language) => written.some((one) => isIn(language, one)))
  if (shown.length === 0) return false
  return html`<section class="examples" aria-labelledby="examples">
    <h2 id="examples" class="quiet">Examples</h2>
    <div class="languages" role="radiogroup" aria-label="Language of the examples">
      ${shown.map((language, i) => choice(language, titleOf(language, written), i === 0))}
    </div>
    ${written.map((example) => one(example, shown))}
  </section>`
}
