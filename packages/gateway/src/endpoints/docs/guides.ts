import { plainText } from "@tollgate/contract/Markdown"
import type { Names } from "@tollgate/contract/Names"
import { rules } from "@tollgate/contract/reference/generated/rules"
import { beginning, type Block, blocksIn, type Section, sectionsOf } from "./markdown.ts"

/** The files of the guides by their path, such as `getting-started.md` and `images/call.svg`. */
export type GuideFiles = ReadonlyMap<string, string>

export interface Guide {
  /** As in its address. */
  readonly name: string
  readonly title: string
  /** The first sentence. */
  readonly summary: string
  readonly blocks: ReadonlyArray<Block>
  readonly sections: ReadonlyArray<Section>
}

export type Guides = ReturnType<typeof readGuides>

/** The reference is the site itself. */
export const reference = "reference"

/** Two shelves. Guides that are not listed stand at the end. */
const order = {
  "For callers":
    "client client-reference client-browser tasks streams ai translation agents codegen cache tags account sandbox",
  "For operators":
    "getting-started settings configuration routes operations admin sign-in reconcile webhooks metrics logs traces scale"
}

const guideOf = (name: string, markdown: string): Guide => {
  const [first, ...blocks] = blocksIn(markdown)
  const sections = sectionsOf(blocks, [2, 3])
  return {
    name,
    title: first?.kind === "heading" ? plainText(first.text) : name,
    summary: beginning(blocks).replace(/:$/, "."),
    blocks,
    sections
  }
}

/** The guides in the order in which people need them, and pictures as addresses of their own, so that a page is one request. */
export const readGuides = (files: GuideFiles) => {
  const byName = new Map<string, Guide>()
  const pictures = new Map<string, string>()
  for (const [path, text] of files) {
    const name = /^([\w-]+)\.md$/.exec(path)?.[1]
    if (name !== undefined && name !== reference) byName.set(name, guideOf(name, text))
    if (path.endsWith(".svg")) pictures.set(path, `data:image/svg+xml,${encodeURIComponent(text)}`)
  }
  const shelves = Object.entries(order).map(([title, names]) => [title, names.split(" ")] as const)
  const listed = new Set(shelves.flatMap(([, names]) => names))
  const others = [...byName.keys()].filter((name) => !listed.has(name)).sort()
  const groups = [...shelves, ["More", others] as const].flatMap(([title, names]) => {
    const guides = names.flatMap((name) => byName.get(name) ?? [])
    return guides.length === 0 ? [] : [{ title, guides }]
  })
  return { byName, groups, pictures }
}

/** The first part is the table of all rules. */
export const ruleSections = ({ provider }: Names): ReadonlyArray<Section & { readonly title: string }> =>
  sectionsOf(blocksIn(rules.replaceAll("<provider>", provider)), [3]).map((section) =>
    section.title === undefined
      ? { ...section, title: "At a glance", id: "rules" }
      : { ...section, title: section.title }
  )
