import type { Names } from "@tollgate/contract/Names"
import { rules } from "@tollgate/contract/reference/generated/rules"
import { blocksIn, type Section, sectionsOf } from "./markdown.ts"

/** The first part is the table of all rules. */
export const ruleSections = ({ provider }: Names): ReadonlyArray<Section & { readonly title: string }> =>
  sectionsOf(blocksIn(rules.replaceAll("<provider>", provider)), [3]).map((section) =>
    section.title === undefined
      ? { ...section, title: "At a glance", id: "rules" }
      : { ...section, title: section.title }
  )
