import { isObject, type Json, Malformed } from "./json.ts"

// A double loses digits: `JSON.parse("12345678901234567890")` is another number. Such a number is read as a text that begins with
// a mark, and written as the number again. Nobody outside can know the mark.

const mark = `\\u0000${String(Math.random()).slice(2)}#`
const markRead = JSON.parse(`"${mark}"`) as string
const mayLose = /\d[\d.]{14}|\d[eE][+-]?\d|\d\.\d*0(?!\d)|-0/
const number = /-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/y
const marked = new RegExp(`"\\${mark}(${number.source})"`, "g")

/** Where the string ends whose first quote is at `from`. */
const afterString = (text: string, from: number): number => {
  for (let end = text.indexOf('"', from + 1); end !== -1; end = text.indexOf('"', end + 1)) {
    let slashes = 0
    while (text[end - 1 - slashes] === "\\") slashes++
    if (slashes % 2 === 0) return end + 1
  }
  return text.length
}

const quote = 0x22
const minus = 0x2d
const zero = 0x30
const nine = 0x39
const point = 0x2e
const upperE = 0x45
const lowerE = 0x65

/** More would hold others up for seconds, and no model reads as many. */
const mostMarks = 200_000

const isDigit = (char: number): boolean => char >= zero && char <= nine

/** Every double keeps as many digits. */
const safeDigits = 15

const withMarks = (text: string): string => {
  let written = ""
  let from = 0
  let marks = 0
  for (let at = 0; at < text.length;) {
    const char = text.charCodeAt(at)
    if (char === quote) at = afterString(text, at)
    else if (char === minus || isDigit(char)) {
      let end = at + 1
      while (isDigit(text.charCodeAt(end))) end++
      const next = text.charCodeAt(end)
      // Most numbers are short and whole.
      if (char === minus || end - at > safeDigits || next === point || next === upperE || next === lowerE) {
        number.lastIndex = at
        if (number.test(text)) end = number.lastIndex
        const found = text.slice(at, end)
        if (String(Number(found)) !== found) {
          if (++marks > mostMarks) throw new Malformed("json", "fewer numbers with more digits than a double has")
          written += `${text.slice(from, at)}"${mark}${found}"`
          from = end
        }
      }
      at = end
    } else at++
  }
  return written + text.slice(from)
}

/** Whether `JSON.parse` may read some number as another. */
export const losesDigits = (text: string): boolean => mayLose.test(text)

/** Parses JSON so that `stringify` writes every number with its digits. Throws on what is no JSON. */
export const parse = (text: string): unknown => JSON.parse(losesDigits(text) ? withMarks(text) : text)

// What the gateway takes of a body. JSON inside of a text is nowhere else looked at.
const mostValues = 100_000
const mostLevels = 128

/** Whether it takes no long time to parse the text. */
const isSmall = (text: string): boolean => {
  if (text.length <= mostValues) return true
  let values = 0
  let levels = 0
  for (let at = 0; at < text.length; at++) {
    const char = text[at]
    if (char === '"') at = afterString(text, at) - 1
    else if (char === "," && ++values > mostValues) return false
    else if ((char === "{" || char === "[") && ++levels > mostLevels) return false
    else if (char === "}" || char === "]") levels--
  }
  return true
}

/** The JSON object that the text is. */
export const parseObject = (text: string): Json | undefined => {
  // An exception for each text takes long.
  if (!/^\s*\{/.test(text) || !isSmall(text)) return undefined
  try {
    const value = parse(text)
    return isObject(value) ? value : undefined
  } catch {
    return undefined
  }
}

const textOf = (value: unknown): string => {
  try {
    return JSON.stringify(value)
  } catch {
    // Its stack is short, while `JSON.parse` has no end.
    throw new Malformed("json", "less depth")
  }
}

/** A text as others may see it: of a number, the number. */
export const shown = (text: string): string => text.replaceAll(markRead, "")

export const stringify = (value: unknown): string => {
  const text = textOf(value)
  return text.includes(mark) ? text.replace(marked, "$1") : text
}
