export const root = "/docs"

/** Pages that are about all operations. */
export const guides = [
  { name: "sdks", title: "SDKs and tools", summary: "Point an SDK, a framework or an agent here" },
  { name: "rules", title: "Rules", summary: "Retries, charges, rounding, limits, streams" },
  { name: "errors", title: "Errors", summary: "Every code, and the shape of each family" },
  { name: "openapi", title: "OpenAPI", summary: "The interface as a document, for programs" }
] as const

export type GuideName = (typeof guides)[number]["name"]

const isGuide = (name: string): name is GuideName => guides.some((guide) => guide.name === name)

/** What suggestions are made of, for the script of the pages. */
const suggestions = "suggestions.json"

const isTaken = (name: string): boolean => isGuide(name) || name === suggestions

/** Where every operation can be found, also one that is called like another page. */
const operationsFolder = "operations/"

export const rootHref = (prefix: string): string => `${prefix}${root}`

export const guideHref = (prefix: string, name: GuideName): string => `${prefix}${root}/${name}`

export const suggestionsHref = (prefix: string): string => `${prefix}${root}/${suggestions}`

export const operationHref = (prefix: string, id: string): string =>
  `${prefix}${root}/${isTaken(id) ? operationsFolder : ""}${encodeURIComponent(id)}`

export type Place =
  | { readonly kind: "start"; readonly query: string | undefined }
  | { readonly kind: "guide"; readonly name: GuideName }
  | { readonly kind: "suggestions" }
  /** Whether there is an operation with this id is not known yet. */
  | { readonly kind: "operation"; readonly id: string }

const decoded = (text: string): string | undefined => {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}

const queryIn = (search: string): string | undefined => {
  const pair = search.split("&").find((part) => part.startsWith("q="))
  return pair === undefined ? undefined : (decoded(pair.slice(2).replaceAll("+", " ")) ?? "")
}

/** The page at a URL whose path is the root or below it. */
export const placeOf = (url: string): Place => {
  const [path = "", search = ""] = url.split("?", 2)
  if (path === root || path === `${root}/`) return { kind: "start", query: queryIn(search) }
  const rest = path.slice(root.length + 1)
  if (isGuide(rest)) return { kind: "guide", name: rest }
  if (rest === suggestions) return { kind: "suggestions" }
  const id = rest.startsWith(operationsFolder) ? rest.slice(operationsFolder.length) : rest
  return { kind: "operation", id: decoded(id) ?? id }
}
