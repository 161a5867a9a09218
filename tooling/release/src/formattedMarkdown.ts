import { readFileSync } from "node:fs"
import { join } from "node:path"
import { format } from "oxfmt"
import { root } from "./program.ts"

const options = JSON.parse(readFileSync(join(root, ".oxfmtrc.json"), "utf8"))

const isRule = (row: string): boolean => /^[\s|:-]+$/.test(row)

/** `|` in a cell is written `\|`, so spaces before any other end a cell. */
const narrowed = (row: string): string =>
  (isRule(row) ? row.replaceAll(/-+/g, "---") : row)
    .replaceAll(/(?<=\S) {2,}(?=\|)/g, " ")
    .replaceAll(/(?<=(?<!\\)\|) {2,}/g, " ")

/** oxfmt makes the columns of a table equally wide, which a wide cell fills with spaces. Here a cell is as wide as its text. */
export const formattedMarkdown = async (file: string, text: string): Promise<string> => {
  const { code, errors } = await format(file, text, options)
  const [error] = errors
  if (error !== undefined) throw new Error(`${file}: ${error.message}`)
  let isCode = false
  return code
    .split("\n")
    .map((line) => {
      if (/^\s*(```|~~~)/.test(line)) isCode = !isCode
      return !isCode && /^\s*\|/.test(line) ? narrowed(line) : line
    })
    .join("\n")
}
