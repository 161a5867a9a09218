/** Words that say nothing about what is wanted. */
const stopWords = new Set(
  (
    "a about also am an and another any api are as at be been being but by can could d did do does doing each for " +
    "from give got had has have he her here hers him his how i id if in into is it its itself just let like ll long " +
    "look m me much my myself need no not of off on only onto or other our out over per please re return s see " +
    "shall she should so some somebody someone something t tell than that the their them then there these they " +
    "thing this those through to too under up us use used using ve very want was way we were what whats when where " +
    "whether while who whose why will with without would yet you your"
  ).split(" ")
)

/** A word without the endings that say the same of most words. A stem need not be a word. */
const stem = (word: string): string => {
  let out = word
  if (out.length > 4 && out.endsWith("ies")) out = `${out.slice(0, -3)}y`
  else if (out.length > 4 && /(?:ss|x|ch|sh)es$/.test(out)) out = out.slice(0, -2)
  else if (out.length > 3 && out.endsWith("s") && !/(?:ss|us|is)$/.test(out)) out = out.slice(0, -1)
  if (out.length > 5 && out.endsWith("ing")) out = undoubled(out.slice(0, -3))
  else if (out.length > 4 && out.endsWith("ed")) out = undoubled(out.slice(0, -2))
  return out.length > 3 && /[^aeiou]e$/.test(out) ? out.slice(0, -1) : out
}

const undoubled = (word: string): string => (/([^aeiouls])\1$/.test(word) ? word.slice(0, -1) : word)

const withoutSpaces = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}]/u

/** Scripts without spaces are read in pairs of characters. */
const pairs = (text: string): ReadonlyArray<string> => {
  const characters = [...text]
  return characters.length < 2 ? characters : characters.slice(1).map((character, i) => `${characters[i]}${character}`)
}

/** The stems of a text in order: `tweetQuotes`, `tweet_quotes` and `SSHKeys` are two each, `OpenAI` is one. */
export const wordsOf = (text: string): Array<string> => {
  const plain = text
    .replace(/(?<=[\p{Ll}\d])(?=\p{Lu}\p{Ll}|ID|URL)|(?<=\p{Lu}{2})(?=\p{Lu}\p{Ll}{2})/gu, " ")
    .normalize("NFKD")
    .replace(/[\u0300-\u036f]+/g, "")
    .toLowerCase()
  return (plain.match(/[\p{L}\p{M}\p{N}]+/gu) ?? []).flatMap((word) => {
    if (withoutSpaces.test(word)) return pairs(word)
    return stopWords.has(word) ? [] : [stem(word)]
  })
}
