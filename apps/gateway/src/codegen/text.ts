/** Characters that end a line, hide text or change the direction in which it is read. */
const unsafe = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu

const escaped = (character: string): string => `\\u{${character.codePointAt(0)?.toString(16)}}`

/** A string literal of TypeScript that any text fits into. */
export const quoted = (text: string): string => JSON.stringify(text).replace(unsafe, escaped)

const identifier = /^[A-Za-z_$][A-Za-z0-9_$]*$/

/** A name of a field, in quotes if it is no identifier. */
export const fieldName = (name: string): string => (identifier.test(name) ? name : quoted(name))

const mostCharacters = 2_000

/** Text of somebody else on one line, which cannot end a comment. */
export const plain = (text: string): string =>
  text
    .slice(0, mostCharacters)
    .toWellFormed()
    .replace(unsafe, " ")
    .replaceAll("*/", "*\\/")
    .replaceAll(/ +/g, " ")
    .trim()

const width = 120

const wrapped = (text: string, room: number): ReadonlyArray<string> => {
  const lines: Array<string> = []
  let line = ""
  for (const word of text.split(" ")) {
    if (line !== "" && line.length + 1 + word.length > room) {
      lines.push(line)
      line = word
    } else line = line === "" ? word : `${line} ${word}`
  }
  return line === "" ? lines : [...lines, line]
}

/** A doc comment of these paragraphs, or nothing. */
export const comment = (paragraphs: ReadonlyArray<string | undefined>, indent = ""): string => {
  const texts = paragraphs.map((paragraph) => plain(paragraph ?? "")).filter((paragraph) => paragraph !== "")
  const [only] = texts
  if (only === undefined) return ""
  const short = `${indent}/** ${only} */`
  if (texts.length === 1 && short.length <= width) return `${short}\n`
  const lines = texts.flatMap((text, i) => [...(i === 0 ? [] : [""]), ...wrapped(text, width - indent.length - 3)])
  return [`${indent}/**`, ...lines.map((line) => `${indent} * ${line}`.trimEnd()), `${indent} */`, ""].join("\n")
}
