import type { Step } from "./blocks.ts"

const times = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/g

/** Times are not compared, nor how wide a column is. */
const plain = (text: string): string =>
  text
    .replaceAll(times, "(time)")
    .replaceAll("\r\n", "\n")
    .replaceAll(/[ \t]+/g, " ")
    .replaceAll(/ $/gm, "")
    .trim()

const escape = (text: string): string => text.replaceAll(/[\\^$.*+?()[\]{}|]/g, "\\$&")

/** In what is shown, `…` is anything in the same line, as a line of its own any lines, and as a value of JSON any value. */
const pattern = (shown: string): RegExp => {
  const source = plain(shown)
    .split(/("…"|^…\n|…)/m)
    .map((part) => (part === "…\n" ? "[^]*?" : part.replaceAll('"', "") === "…" ? "[^\\n]*?" : escape(part)))
  return new RegExp(`^${source.join("")}$`)
}

const compact = (text: string): string => JSON.stringify(JSON.parse(text))

const isJson = (text: string): boolean => {
  try {
    return JSON.parse(text) !== undefined
  } catch {
    return false
  }
}

/** Whether a command printed what the guide shows. JSON may be laid out in another way. */
export const isPrinted = (shown: Step["shown"], printed: string): boolean => {
  if (shown === "anything") return true
  if (shown === "nothing") return printed.trim() === ""
  if (shown.language !== "json") return pattern(shown.text).test(plain(printed))
  return isJson(printed) && pattern(compact(shown.text)).test(plain(compact(printed)))
}
