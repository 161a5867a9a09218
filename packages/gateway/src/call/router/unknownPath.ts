import type { Catalogue } from "@tollgate/contract/Catalogue"
import type { Bound } from "@tollgate/contract/Operation"
import { refuse, type Refused } from "@tollgate/contract/errors/Refused"
import type { Router } from "./Router.ts"

/**
 * Paths that well-known SDKs call by default, and the id of the operation that does the same here, if one does. The group, or
 * the template, is what the message calls the path: nothing else of it is repeated, since a path may contain a key.
 */
const wellKnown: ReadonlyArray<readonly [path: RegExp, operation?: string, template?: string]> = [
  [/^(\/v1\/responses)(?:\/|$)/, "responses"],
  [/^(\/v1\/(?:assistants|threads|chat))(?:\/|$)/, "chat.completions"],
  [/^(\/(?:v2|api)\/(?:chat|generate))$/, "chat.completions"],
  [/^(\/v1\/messages\/batches|\/v1\/complete)(?:\/|$)/, "messages"],
  [/^\/v\w+\/models\/[^/]+:/, "models.generate_content"],
  [/^\/v1beta\/models\//, "models.list_gemini"],
  [/^\/v1\/models\//, "models.get"],
  [/^(\/v1\/images\/(?:generations|variations))$/, "images.generate"],
  [/^(\/v1\/videos)(?:\/|$)/, "video.create"],
  [/^(\/(?:v1|v2)\/embed)$/, "embeddings"],
  [/^(\/v1\/organization|\/v1\/dashboard)(?:\/|$)/, "usage"],
  [
    /^(\/v1\/(?:audio\/translations|files|uploads|batches|fine_tuning|vector_stores|realtime|tokenize|detokenize|classify))(?:\/|$)/
  ],
  [/^(\/v1beta\/(?:files|cachedContents|tunedModels|batches))(?:\/|$)/]
]

/** The path if the SDK's base URL lacked its version, had it twice, or ended in a slash. */
const repaired = (path: string): ReadonlyArray<string> => [
  `/v1${path}`,
  `/v1beta${path}`,
  path.replace(/^\/v1(?:beta)?(?=\/v1)/, ""),
  path.replace(/\/+$/, "")
]

interface Meant {
  /** What may be repeated of the path. */
  readonly shown?: string | undefined
  readonly operation?: Bound | undefined
}

/** Refuses a path that has no operation, and names the operation that the caller may have meant. */
export const unknownPath = ({ byId }: Catalogue, router: Router): ((path: string) => Refused) => {
  const meant = (path: string): Meant => {
    for (const candidate of repaired(path)) {
      if (candidate === path) continue
      const match = router.match(candidate)
      const operation = match?.operations.values().next().value
      const isLiteral = operation?.path === candidate
      if (operation !== undefined) return { shown: isLiteral ? path : undefined, operation }
    }
    for (const [expression, id, template] of wellKnown) {
      const found = expression.exec(path)
      if (found !== null) return { shown: template ?? found[1], operation: id === undefined ? undefined : byId.get(id) }
    }
    return {}
  }
  return (path) => {
    const { operation, shown } = meant(path)
    const offer =
      operation === undefined
        ? "`/docs` shows what is; for programs `/api/contracts/source?hash=…&bundled=1` lists it, with the hash that `/api/contracts/version` gives."
        : `this gateway has \`${operation.path}\`.`
    return refuse(
      "route_not_found",
      `${shown === undefined || shown === operation?.path ? "This path" : `\`${shown}\``} is not offered here; ${offer}`
    )
  }
}
