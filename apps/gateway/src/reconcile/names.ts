import { familyOf } from "@tollgate/contract/price/modelFamily"
import { details, kinds } from "@tollgate/contract/price/TokenKind"

/** By what a model is the same in two places: `gpt-6-astra-2026-08-01`, `Claude Opus 5.5` and `claude-opus-5-5` lose dates, case and dots. */
export const modelKey = (name: string): string =>
  familyOf(
    name
      .trim()
      .toLowerCase()
      .replaceAll(/[\s_]+/g, "-")
  ).replaceAll(".", "-")

/** `cacheRead` is `cache_read` in what is printed. */
export const snake = (name: string): string => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

/** The kinds that tokens are counted by, and those within them. */
export const tokenKinds: ReadonlySet<string> = new Set([...Object.keys(kinds), ...Object.keys(details)].map(snake))

/** The kind that a provider's words mean, such as `cached input tokens` or `input_cache_write_1h`. */
export const kindOf = (words: string): string => {
  const plain = words
    .toLowerCase()
    .replaceAll(/[\s_-]+/g, " ")
    .trim()
  const isCache = /cach/.test(plain) && !/uncached|no cache|non cached/.test(plain)
  if (isCache && /write|written|creation/.test(plain)) {
    return /\b(?:1h|12h|1 ?hour|12 ?hours|long)\b/.test(plain) ? "cache_write_long" : "cache_write"
  }
  if (isCache) return "cache_read"
  if (/web ?search/.test(plain)) return "web_search"
  if (/file ?search/.test(plain)) return "file_search"
  if (/output|completion|reasoning|thinking/.test(plain)) return "output"
  if (/input|prompt/.test(plain)) return "input"
  return plain.replaceAll(" ", "_")
}
