import type { Bound } from "@tollgate/contract/Operation"

/** What a call does to things: the same five verbs in most interfaces. */
type Verb = "list" | "get" | "create" | "update" | "delete"

/** `read`: one or many. `put`: creates it if it is not there. */
type Done = Verb | "read" | "put"

/** `act` is any other change: `star a repository`. */
type Intent = Verb | "act"

const verbs: Readonly<Record<Verb, string>> = {
  list: "list all every enumerate browse which who many",
  get: "get fetch read show view retrieve details detail single check is",
  create: "create add new make open submit start register invite publish insert fork",
  update: "update change edit modify rename set replace mark move configure enable disable lock unlock",
  delete: "delete remove destroy erase drop cancel revoke unassign clear"
}

/** What people say who want it; as names of operations they may mean something else. */
const alsoSaid: Readonly<Record<Verb, string>> = {
  list: "everything overview",
  get: "what where why was did does are has look download see inspect",
  create:
    "file raise build spin generate attach upload send share give grant assign put invite ship write post save store",
  update: "adjust alter switch toggle turn close reopen archive hide protect correct fix amend resolve",
  delete: "wipe purge discard trash kick fire throw withdraw abort rid uninstall dismiss"
}

const intents = new Map<string, Verb>(
  Object.entries(verbs).flatMap(([intent, words]) => words.split(" ").map((word) => [word, intent as Verb] as const))
)

const saidIntents: ReadonlyMap<string, Verb> = new Map([
  ...Object.entries(alsoSaid).flatMap(([intent, words]) =>
    words.split(" ").map((word) => [word, intent as Verb] as const)
  ),
  ...intents
])

/** Several things named at the beginning mean a list: `recent bugs of a project`. An article means one: `an analytics page`. */
const namesSeveral = (words: ReadonlyArray<string>): boolean => {
  const begin = words.slice(0, 4)
  const several = begin.findIndex((word) => word !== "does" && word.length > 3 && /[^sui]s$/.test(word))
  return !begin.slice(0, Math.max(0, several)).some((word) => word === "a" || word === "an") && several !== -1
}

/** A query that begins with a word before an article or a preposition asks to do something. */
const imperative = /^\s*(?:please\s+)?([a-z]+)\s+(?:a|an|the|my|this|that|on|to|from|someone|somebody)\s/i

const questionWords = new Set(
  "how what where when why which who whose is are was do does did can could has have find search look see tell".split(
    " "
  )
)

/** What the query asks for, by its first verb: `delete a label`. `show all labels` asks for a list. */
export const intentOf = (query: string): Intent | undefined => {
  const begins = imperative.exec(query)?.[1]?.toLowerCase()
  if (begins !== undefined && !saidIntents.has(begins) && !questionWords.has(begins)) return "act"
  const words = query.toLowerCase().match(/[a-z]+/g) ?? []
  const found = words.flatMap((word) => saidIntents.get(word) ?? [])
  const isRead = found[0] === undefined || found[0] === "get"
  return isRead && (found.includes("list") || namesSeveral(words)) ? "list" : found[0]
}

/** What an operation does, by the last part of its id or the first word of its summary, or else by method and path. */
export const doneBy = ({ id, method, path, summary }: Bound): Done => {
  const [first = ""] = /^[a-z]+/.exec(summary.toLowerCase()) ?? []
  const [last = ""] = /[a-z]+/.exec(id.slice(id.lastIndexOf(".") + 1)) ?? []
  if (/(?:create|add)_or_(?:update|replace|set)/.test(id)) return "put"
  const named = intents.get(last) ?? intents.get(first)
  if (named !== undefined) return named
  if (last === "search" || first === "search") return "list"
  switch (method) {
    case "GET":
      return path.endsWith("}") ? "get" : "read"
    case "POST":
      return "create"
    case "DELETE":
      return "delete"
    default:
      return "update"
  }
}

const reads: ReadonlySet<Done> = new Set(["list", "get", "read"])
const changes: ReadonlySet<Done> = new Set(["update", "put", "delete"])

/** How much an operation counts that does what the query asks for. */
export const factorOf = (wanted: Intent | undefined, done: Done): number => {
  switch (wanted) {
    // Who only names a thing wants to see it, or the operation that makes it.
    case undefined:
      return changes.has(done) ? 0.9 : 1
    case "act":
      return done === "create" ? 1.2 : done === "update" || done === "put" ? 1.15 : 1
    case "get":
    case "list":
      if (wanted === done || done === "read") return 1.35
      // Who asks for one may be served by the list, and the reverse.
      return reads.has(done) ? 1.1 : 1
    case "create":
    case "update":
      return wanted === done || done === "put" ? 1.35 : 1
    case "delete":
      return done === "delete" ? 1.35 : 1
  }
}
