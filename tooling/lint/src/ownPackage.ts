import { dirname, resolve, sep } from "node:path"
import type { Rule } from "./Rule.ts"
import { sources } from "./sources.ts"

const member = /^(.*?[\\/](?:packages|apps)[\\/][^\\/]+)[\\/]/

/** A relative import stays inside its package; another package is imported by its name. */
export const ownPackage: Rule = {
  create: (context) => {
    const home = member.exec(context.filename)?.[1]
    if (home === undefined) return {}
    return sources((source) => {
      if (!source.value.startsWith(".")) return
      if (resolve(dirname(context.filename), source.value).startsWith(home + sep)) return
      context.report({
        node: source,
        message: `"${source.value}" leaves the package: import the other package by its name.`
      })
    })
  }
}
