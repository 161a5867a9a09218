import { attempt } from "@tollgate/contract/attempt"
export const root = "/docs"

export const topics = [
  { name: "models", title: "Models", summary: "Which operations reach each model, and its price" },
  { name: "sdks", title: "SDKs and tools", summary: "Point an SDK, a framework or an agent here" },
  { name: "rules", title: "Rules", summary: "Retries, charges, rounding, limits, streams" },
  { name: "errors", title: "Errors", summary: "Every code, and the shape of each family" },
  { name: "openapi", title: "OpenAPI", summary: "The API as a document, for programs" }
] as const

export type TopicName = (typeof topics)[number]["name"]

const isTopic = (name: string): name is TopicName => topics.some((topic) => topic.name === name)

/** The list of guides. Each guide is below it. */
const guides = "guides"

const isTaken = (name: string): boolean => isTopic(name) || name === guides

/** Where every operation can be found, also one that is called like another page. */
const operationsFolder = "operations/"

export const rootHref = (prefix: string): string => `${prefix}${root}`

export const topicHref = (prefix: string, name: TopicName): string => `${prefix}${root}/${name}`

export const guidesHref = (prefix: string): string => `${prefix}${root}/${guides}`

export const guideHref = (prefix: string, name: string): string => `${guidesHref(prefix)}/${name}`

export const operationHref = (prefix: string, id: string): string =>
  `${prefix}${root}/${isTaken(id) ? operationsFolder : ""}${encodeURIComponent(id)}`

export type Place =
  | { readonly kind: "start"; readonly query: string | undefined }
  | { readonly kind: "topic"; readonly name: TopicName }
  | { readonly kind: "guides" }
  /** Whether there is such a guide is not known yet. */
  | { readonly kind: "guide"; readonly name: string }
  /** Whether there is an operation with this id is not known yet. */
  | { readonly kind: "operation"; readonly id: string }

const decoded = (text: string): string | undefined => attempt(() => decodeURIComponent(text))

const queryIn = (search: string): string | undefined => {
  const pair = search.split("&").find((part) => part.startsWith("q="))
  return pair === undefined ? undefined : (decoded(pair.slice(2).replaceAll("+", " ")) ?? "")
}

/** The page at a URL whose path is the root or below it. */
export const placeOf = (url: string): Place => {
  const [path = "", search = ""] = url.split("?", 2)
  if (path === root || path === `${root}/`) return { kind: "start", query: queryIn(search) }
  const rest = path.slice(root.length + 1)
  if (isTopic(rest)) return { kind: "topic", name: rest }
  if (rest === guides || rest === `${guides}/`) return { kind: "guides" }
  if (rest.startsWith(`${guides}/`)) return { kind: "guide", name: rest.slice(guides.length + 1) }
  const id = rest.startsWith(operationsFolder) ? rest.slice(operationsFolder.length) : rest
  return { kind: "operation", id: decoded(id) ?? id }
}
