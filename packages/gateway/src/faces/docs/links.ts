import { rootHref, guideHref, topicHref } from "./addresses.ts"
import { reference } from "./guides.ts"
import { type Links, noFiles } from "./markdown.ts"
import { ruleSections } from "./rules.ts"
import type { Site } from "./Site.ts"

/** Where parts of `reference.md` are on the site. */
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
  picture: (src) => site.guides.pictures.get(src)
})
