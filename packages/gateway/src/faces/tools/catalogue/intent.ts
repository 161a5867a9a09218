import type { Bound } from "@tollgate/contract/Operation"
import { stem } from "./words.ts"

/** What a call does to things: the same five verbs in most interfaces. */
type Verb = "list" | "get" | "create" | "update" | "delete"

/** `read`: one or many. `put`: creates it if it is not there. `check`: says yes or no. */
type Done = Verb | "read" | "put" | "check"

/** `act` is any other change: `star a repository`. `find`: one or many, by what is known of them. */
type Intent = Verb | "act" | "check" | "find"

const verbs: Readonly<Record<Verb, string>> = {
  list: "list all every enumerate browse which who many",
  get: "get fetch read show view retrieve details detail single is",
  create: "create add new make open submit start register invite publish insert fork",
  update: "update change edit modify rename set replace mark move configure enable disable lock unlock",
  delete: "delete remove destroy erase drop cancel revoke unassign clear detach unlink disconnect"
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

const byStem: ReadonlyMap<string, Verb> = new Map([...intents].map(([word, verb]) => [stem(word), verb]))

/** Whether people say it who want something done. */
export const isSaidVerb = (word: string): boolean => saidIntents.has(word)

/** Whether it says no more than one of the five verbs. */
export const isPlainVerb = (word: string): boolean => intents.has(word)

export const isVerb = (stemmed: string): boolean => byStem.has(stemmed)

/** To replace a thing is to write all of it anew. */
const whole = stem("replace")

/** Whether two stems are verbs that ask for the same. To create a thing and to add it to another differ. */
export const meansTheSame = (one: string, other: string): boolean => {
  const verb = byStem.get(one)
  if (one === whole || other === whole) return false
  return (verb === "update" || verb === "delete") && byStem.get(other) === verb
}

/** `is it on`, `see whether it works`. */
const yesOrNo =
  /^\s*(?:(?:(?:check|see|find out|tell me)\s+)?(?:if|whether)|check|is|are|was|were|do|does|did|has|have|can|may)\b/i

/** `open tickets` are to be listed, not to be opened. */
const inState = /^\s*(?:open|closed|new)\s+(?:[a-z]+\s+)?[a-z]{2,}[^sui]s\b/i

const places = new Set("of on in from for to with by at about that which who".split(" "))

const notPlural = new Set(["does", "details"])

const isPlural = (word: string): boolean => word.length > 3 && /[^sui]s$/.test(word) && !notPlural.has(word)

/**
 * Several things named at the beginning mean a list: `recent bugs of a project`. An article means one: `an analytics page`,
 * and so does the last word of what is to be got: `get codespaces secret`.
 */
const namesSeveral = (words: ReadonlyArray<string>): boolean => {
  const end = words.findIndex((word, i) => i > 0 && places.has(word))
  const begin = words.slice(0, end === -1 ? 6 : Math.min(6, end))
  const [first = ""] = begin
  if (saidIntents.get(first) === "get" && !questionWords.has(first)) return isPlural(begin.at(-1) ?? "")
  const several = begin.findIndex(isPlural)
  return !begin.slice(0, Math.max(0, several)).some((word) => word === "a" || word === "an") && several !== -1
}

/** A query that begins with a word before an article or a preposition asks to do something; `labels on an issue` does not. */
const imperative =
  /^\s*(?:please\s+)?([a-z]+(?<=[^s]|ss)(?=\s+(?:a|an|the|my|this|that|someone|somebody|on|to|from|for)\s))/i

const finding = new Set(["find", "search", "locate", "look"])

const questionWords = new Set(
  "how what where when why which who whose is are was do does did can could has have find search look see tell".split(
    " "
  )
)

/** What the query asks for, by its first verb: `delete a label`. `show all labels` asks for a list. */
export const intentOf = (query: string): Intent | undefined => {
  if (yesOrNo.test(query)) return "check"
  if (inState.test(query)) return "list"
  const begins = imperative.exec(query)?.[1]?.toLowerCase()
  if (begins !== undefined && !saidIntents.has(begins) && !questionWords.has(begins)) return "act"
  const words = query.toLowerCase().match(/[a-z]+/g) ?? []
  const found = words.flatMap((word) => saidIntents.get(word) ?? [])
  if (found[0] === undefined && !namesSeveral(words) && finding.has(words[0] ?? "")) return "find"
  const isRead = found[0] === undefined || found[0] === "get"
  if (isRead && words.some((word) => word === "one" || word === "single")) return "get"
  return isRead && (found.includes("list") || namesSeveral(words)) ? "list" : found[0]
}

/** The verb of `keys.list_own`, and of `keys.own_list`. */
const verbOf = (id: string): string => {
  const words = id.slice(id.lastIndexOf(".") + 1).match(/[a-z]+/g) ?? []
  const [first = ""] = words
  const last = words.at(-1) ?? ""
  return !isPlainVerb(first) && isPlainVerb(last) ? last : first
}

/** What an operation does, by the last part of its id or the first word of its summary, or else by method and path. */
export const doneBy = ({ id, method, path, summary }: Bound): Done => {
  const [first = ""] = /^[a-z]+/.exec(summary.toLowerCase()) ?? []
  const last = verbOf(id)
  const [end = ""] = /[^/]*(?=\/?$)/.exec(path) ?? []
  if (/(?:create|add)_or_(?:update|replace|set)/.test(id)) return "put"
  if (first === "check" || last === "check") return "check"
  // `Returns a list of customers` is the summary of `get_customers`, and of a path that ends with `customers`.
  if (/^returns? (?:a|the) (?:[a-z]+ )?list\b/i.test(summary)) return "list"
  const named = intents.get(last) ?? byStem.get(stem(first))
  if (named === "get" && method === "GET" && isPlural(end)) return "read"
  if (named !== undefined) return named
  if (last === "search" || first === "search") return "list"
  switch (method) {
    case "GET":
      return end.endsWith("}") ? "get" : "read"
    case "POST":
      return end.endsWith("}") ? "update" : "create"
    case "DELETE":
      return "delete"
    default:
      return "update"
  }
}

const reads: ReadonlySet<Done> = new Set(["list", "get", "read", "check"])
const changes: ReadonlySet<Done> = new Set(["update", "put", "delete"])

/** How much an operation counts that changes something, if the query asks to see it, and the reverse. */
const otherwise = 0.85

/** How much an operation counts that does what the query asks for. */
export const factorOf = (wanted: Intent | undefined, done: Done): number => {
  switch (wanted) {
    // Who only names a thing wants to see it, or the operation that makes it.
    case undefined:
      return changes.has(done) ? 0.9 : 1
    case "act":
      return done === "create" ? 1.2 : done === "update" || done === "put" ? 1.15 : reads.has(done) ? otherwise : 1
    case "check":
      if (done === "check") return 1.4
      if (done === "list") return 1.1
      return reads.has(done) ? 1.25 : otherwise
    case "find":
      return done === "check" ? 1.1 : reads.has(done) ? 1.3 : otherwise
    case "get":
    case "list":
      if (wanted === done) return 1.35
      if (done === "read") return wanted === "list" ? 1.35 : 1.3
      // Who asks for one may be served by the list, and the reverse.
      return reads.has(done) ? 1.1 : otherwise
    case "create":
    case "update":
      return wanted === done || done === "put" ? 1.35 : reads.has(done) ? otherwise : 1
    case "delete":
      return done === "delete" ? 1.35 : reads.has(done) ? otherwise : 1
  }
}
