/** Words that say nothing about what is wanted. */
const stopWords = new Set(
  (
    "a about all also am an and another any api are as at be been being but by can could d did do does doing each every " +
    "fetch for from get give got had has have he her here hers him his how i id if in into is it its itself just let " +
    "like ll long look m many me much my myself need no not of off on one only onto or other our out over per please re read " +
    "retrieve return s see shall she should show so some somebody someone something t tell than that the their them then there these " +
    "they thing this those through to too under up us use used using ve very want was way we were what whats when " +
    "where whether which while who whose why will with without would yet you your"
  ).split(" ")
)

/** The suffixes that say the same of most words. Both sides of a comparison are stemmed, so a stem need not be a word. */
export const stem = (word: string): string => {
  // To set is another thing.
  if (word === "setting" || word === "settings") return "setting"
  let out = word
  if (out.length > 4 && out.endsWith("ies")) out = `${out.slice(0, -3)}y`
  else if (out.length > 4 && /(?:ss|x|ch|sh)es$/.test(out)) out = out.slice(0, -2)
  else if (out.length > 3 && out.endsWith("s") && !/(?:ss|us|is)$/.test(out)) out = out.slice(0, -1)
  if (out.length > 5 && out.endsWith("ing")) out = undoubled(out.slice(0, -3))
  else if (out.length > 4 && out.endsWith("ed")) out = undoubled(out.slice(0, -2))
  if (out.length > 3 && /[^aeiou]e$/.test(out)) out = out.slice(0, -1)
  return out.length > 6 ? out.replace(derived, "") : out
}

/**
 * `investigation` and `investigate`, `suggestion` and `suggest`, `popularity` and `popular`, `monthly` and `month`,
 * `reviewer` and `review`, `collaborator` and `collaborate`.
 */
const derived = /(?:ation|at|(?<=[st])ion|ity|ment|ness|ly|(?<=.{4})ator|(?<=.{5})(?:er|(?<!creat)or))$/

const undoubled = (word: string): string => (/([^aeiouls])\1$/.test(word) ? word.slice(0, -1) : word)

const cjk = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}]/u

/** Scripts without spaces are read in pairs of characters. */
const pairs = (text: string): ReadonlyArray<string> => {
  const characters = [...text]
  return characters.length < 2 ? characters : characters.slice(1).map((character, i) => `${characters[i]}${character}`)
}

/** The words of a text in order: `tweetQuotes`, `tweet_quotes` and `SSHKeys` are two each, `OpenAI` is one. */
export const wordsOf = (text: string): ReadonlyArray<string> => {
  const plain = text
    .replace(/(?<=[\p{Ll}\d])(?=\p{Lu}\p{Ll}|ID|URL)|(?<=\p{Lu}{2})(?=\p{Lu}\p{Ll}{2})/gu, " ")
    .normalize("NFKD")
    .replace(/[\u0300-\u036f]+/g, "")
    .toLowerCase()
  const out: Array<string> = []
  for (const [word] of plain.matchAll(/[\p{L}\p{M}\p{N}]+/gu)) {
    if (cjk.test(word)) out.push(...pairs(word))
    else if (!stopWords.has(word)) out.push(stem(word))
  }
  return out
}

const isAscii = /^[\0-\x7f]*$/

/** Reads the words of many texts. What it has read before is looked up: descriptions repeat a few thousand words. */
export class WordReader {
  readonly #known = new Map<string, ReadonlyArray<string>>()

  /** The same as `wordsOf`. */
  readonly read = (text: string): ReadonlyArray<string> => {
    // Elsewhere one character may become several, and letters of what was none.
    if (!isAscii.test(text)) return wordsOf(text)
    const out: Array<string> = []
    for (const written of text.match(/[A-Za-z\d]+/g) ?? []) {
      let words = this.#known.get(written)
      if (words === undefined) this.#known.set(written, (words = wordsOf(written)))
      for (const word of words) out.push(word)
    }
    return out
  }
}
