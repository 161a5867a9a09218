import { sources } from "./sources.ts"
import type { Rule } from "./Rule.ts"

/** Barrels such as `effect` and `effect/http`: names of modules are capitalised, names of barrels are not. */
const barrel = /^effect(\/[a-z][\w-]*)?$/

export const effectSubpath: Rule = {
  create: (context) =>
    sources((source) => {
      if (!barrel.test(source.value)) return
      context.report({
        node: source,
        message: `"${source.value}" is a barrel and triples a bundle: import the module, as in "effect/Schema" or "effect/http/HttpClient".`
      })
    })
}
