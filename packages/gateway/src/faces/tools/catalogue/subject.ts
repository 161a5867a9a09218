import { isPlainVerb, isSaidVerb } from "./intent.ts"
import { synonymsOf } from "./synonyms.ts"
import { wordsOf } from "./words.ts"

const setOf = (words: string): ReadonlySet<string> => new Set(words.split(" "))

const articles = setOf(
  "a an the this that these those my our your his her their its all any every each some no another one two"
)

/** What comes after the thing that is named: `labels on an issue`, `requests that contain a commit`. */
const after = setOf(
  "of on in into from for to with by at about as and or but via under over across between within without against during per " +
    "until since after before that which who whom whose where when while if whether because so than then " +
    "is are was were be been am do does did has have had can could may might must should will would " +
    "contain contains include includes belong belongs use uses need needs want wants i we you he she it they me us him them"
)

/** What comes before it. */
const before = setOf("how what why many much please not like out up off")

/** `a list of labels` are labels, and `a coupon object` is a coupon. */
const wrappers = setOf(
  "list lists history number count details detail information info overview page copy status object objects"
)

/** It says which things are meant. */
const kinds = setOf(
  "new existing open closed current latest recent newest last own single old public private other specified"
)

const isSmall = (word: string | undefined): boolean => word === undefined || articles.has(word) || after.has(word)

/** The thing that comes first in a text, after its verb. The last of its words says what it is. */
const thingIn = (words: ReadonlyArray<string>): ReadonlyArray<string> => {
  let thing: ReadonlyArray<string> = []
  for (const [i, word] of words.entries()) {
    const next = words[i + 1]
    // `files changed in a request`, `files containing a word`; but `a closed issue`, `scanning alerts`.
    const isParticiple = /(?:ed|ing)$/.test(word) && isSmall(next)
    const isWrapper = wrappers.has(word) && (next === undefined ? thing.length > 0 : after.has(next))
    if (isSmall(word) || before.has(word) || isParticiple) {
      if (thing.length > 0) break
    } else if (word.endsWith("'s")) thing = []
    else if (!isWrapper && !kinds.has(word) && (thing.length > 0 || !isSaidVerb(word))) {
      thing = [...thing, ...wordsOf(word)]
    }
  }
  return thing
}

const read = (text: string): ReadonlyArray<string> => text.toLowerCase().match(/[a-z]+(?:-[a-z]+)*(?:'s)?/g) ?? []

/** What an operation is about. */
export interface Subject {
  /** Its summary and its path may name it differently. */
  readonly nouns: ReadonlyArray<string>
  /** The words before them: `workflow` of `workflow runs`. */
  readonly modifiers: ReadonlyArray<string>
  /** Whether it is people, by what they do: `reviewers`, `members`. */
  readonly isPeople: boolean
}

/** What somebody is: `reviewer`, `author`, `assignee`. */
const role = /(?:er|or|ee|ant|member|person|people|staff)s?$/
const things = setOf(
  "order number header folder server runner parameter filter offer transfer letter computer trigger error vector color monitor"
)

/** Whether a query asks for people. */
export const asksForPeople = (query: string): boolean =>
  /^\s*(?:who|whom|which (?:people|person|users?))\b/i.test(query)

/** Parts of a path that stand for one of the things before them: `{id}`, `me`. */
const one = /^(?:\{.*|me|self)?$/

/** The last part of a path that names things is the subject: the parts before it say where it is. */
const endOf = (path: string): string => path.split("/").findLast((part) => !one.test(part)) ?? ""

export const subjectOf = ({ path, summary }: { readonly path: string; readonly summary: string }): Subject => {
  const end = endOf(path)
  const named = [thingIn(read(summary).slice(1)), wordsOf(end)]
  const [last = ""] = /[a-z]+$/.exec(end) ?? []
  return {
    nouns: [...new Set(named.flatMap((thing) => thing.slice(-1)))],
    modifiers: [...new Set(named.flatMap((thing) => thing.slice(0, -1)))],
    isPeople: role.test(last) && !things.has(last.replace(/s$/, ""))
  }
}

/** A synonym, and a word before the noun, count less than the noun itself. */
const synonymShare = 0.8
const modifierShare = 0.3

/** `who may do it`, `how busy is it`: the thing is not named. */
const unnamed =
  /^\s*(?:who|where|when|why|how (?!many|much)|(?:what |which )?(?:may|can|could|do|does|did|has|have|will|would|should|must)\b)/i

/** The noun that a query is about, and its verb if it says more than the five verbs: to comment on a thing is to make a comment. */
export const askedIn = (query: string, isOrder: boolean): readonly [noun: string, verb?: string] | undefined => {
  if (unnamed.test(query)) return undefined
  const words = read(query)
  const [first = ""] = words
  const noun = thingIn(isOrder ? words.slice(1) : words).at(-1)
  if (noun === undefined) return undefined
  const [verb] = isOrder || (isSaidVerb(first) && !isPlainVerb(first)) ? wordsOf(first) : []
  return verb === undefined ? [noun] : [noun, verb]
}

const bestOf = (words: ReadonlyArray<string>, shares: ReadonlyMap<string, number>): number => {
  let best = 0
  for (const word of words) best = Math.max(best, shares.get(word) ?? 0)
  return best
}

/** How far an operation is about what a query asks for, from 0 to 1. An order begins with its verb. */
export const aboutness = (query: string, isOrder: boolean): ((subject: Subject) => number) => {
  const asked = askedIn(query, isOrder)
  if (asked === undefined) return () => 0
  const [noun, verb] = asked
  const sharesOf = (word: string) =>
    new Map([...[...synonymsOf(word)].map((synonym) => [synonym, synonymShare] as const), [word, 1] as const])
  const nouns = sharesOf(noun)
  const verbs = verb === undefined ? undefined : sharesOf(verb)
  return (subject) =>
    Math.max(
      bestOf(subject.nouns, nouns),
      modifierShare * bestOf(subject.modifiers, nouns),
      verbs === undefined ? 0 : synonymShare * bestOf(subject.nouns, verbs)
    )
}
