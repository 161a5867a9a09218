import { defaults } from "@tollgate/contract/Names"

/** The words of an identifier: `getPetById`, `get-pet-by-id` and `pets/get pet` alike, in lower case. */
export const wordsOf = (text: string): ReadonlyArray<string> =>
  text
    .normalize("NFKD")
    .replaceAll(/([a-z0-9])([A-Z])/g, "$1 $2")
    .replaceAll(/([A-Z])([A-Z][a-z])/g, "$1 $2")
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== "")

const maxWords = 100

const startsWith = (words: ReadonlyArray<string>, start: ReadonlyArray<string>): boolean =>
  start.every((word, i) => words[i] === word)

/** `github.repos.get_content`: prefix, tag unless it is the same, and operationId, or else method and path. */
export const idOf = (parts: {
  readonly prefix: string
  readonly tag: string | undefined
  readonly operationId: string | undefined
  readonly method: string
  readonly path: string
}): string => {
  const prefix = wordsOf(parts.prefix)
  const tag = wordsOf(parts.tag ?? "")
  const own = wordsOf(parts.operationId ?? "")
  const words = own.length > 0 ? own : wordsOf(`${parts.method} ${parts.path}`)
  const rest = words.length > tag.length && startsWith(words, tag) ? words.slice(tag.length) : words
  return [prefix, tag.join() === prefix.join() ? [] : tag, rest]
    .map((part) => part.join("_").slice(0, maxWords))
    .filter((part) => part !== "")
    .join(".")
}

/** The next number of a name, for each set of names that are taken. */
const numbers = new WeakMap<Set<string>, Map<string, number>>()

/** Adds a number to a name that is taken. A document may give one name to all of its operations. */
export const uniqueIn = (taken: Set<string>, name: string): string => {
  let free = name
  if (taken.has(name)) {
    const next = numbers.get(taken) ?? new Map<string, number>()
    numbers.set(taken, next)
    let i = next.get(name) ?? 2
    while (taken.has((free = `${name}_${i}`))) i++
    next.set(name, i + 1)
  }
  taken.add(free)
  return free
}

/** A path at the upstream, and the path at the gateway that it gets. */
export interface Paths {
  readonly gateway: string
  /** With the names that parameters have at the gateway. */
  readonly upstream: string
  /** The parameters in the path: the document's name for each, and the gateway's. */
  readonly names: ReadonlyMap<string, string>
}

const allowed = /^(?:\/(?:[A-Za-z0-9_~.:@+-]|\{[A-Za-z_$][A-Za-z0-9_.$-]{0,63}\})+)+$/
const allowedName = /^[A-Za-z_$][A-Za-z0-9_.$-]{0,63}$/
/** Also as they are encoded: an upstream decodes them. */
const hasDots = /(?:[/\\]|%2f|%5c)(?:\.|%2e){1,2}(?:[/\\]|%2f|%5c|$)/i
const maxName = 60

/** Some names in braces mean names of the gateway. */
const nameFor = (name: string): string => {
  if (Object.hasOwn(defaults, name)) return `${name}_`
  return allowedName.test(name)
    ? name
    : wordsOf(name)
        .join("_")
        .replace(/^(?=\d|$)/, "p_")
        .slice(0, maxName)
}

/** What the gateway does not take in a path separates two segments there. */
const plain = (path: string): string =>
  path
    .replaceAll(/(\{[^}]*\})|[^A-Za-z0-9_~.:@+/-]+/g, (_, parameter: string | undefined) => parameter ?? "/")
    .replaceAll("}{", "}/{")
    .replaceAll(/\/{2,}/g, "/")
    .replace(/\/$/, "")

/** `undefined`: the gateway cannot have this path. The upstream is called at the path of the document. */
export const pathsOf = (path: string, prefix: string): Paths | undefined => {
  if (!path.startsWith("/") || /[?#\s]/.test(path) || hasDots.test(path)) return undefined
  const names = new Map<string, string>()
  const taken = new Set<string>()
  let isRepeated = false
  const upstream = path.replaceAll(/\{([^{}]*)\}/g, (_, name: string) => {
    if (names.has(name)) isRepeated = true
    const own = uniqueIn(taken, nameFor(name))
    names.set(name, own)
    return `{${own}}`
  })
  if (/[{}]/.test(path.replaceAll(/\{[^{}]+\}/g, ""))) return undefined
  const gateway = `/apis/v1/${prefix}${plain(upstream)}`
  return isRepeated || !allowed.test(gateway) || hasDots.test(gateway) ? undefined : { gateway, upstream, names }
}

const maxSummary = 200

export const summaryLine = (text: string): string => {
  const line = text.replaceAll(/\s+/g, " ").trim()
  return line.length <= maxSummary ? line : `${line.slice(0, maxSummary - 1)}…`
}

export const firstSentence = (text: string | undefined): string | undefined => text?.split(/\n|(?<=\.)\s/u)[0]
