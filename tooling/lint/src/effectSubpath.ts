import { sources } from "./sources.ts"
import type { Rule } from "./Rule.ts"

/** `effect`, `effect/index` and the index of a folder (`effect/http`): modules are capitalised, barrels are not. */
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
