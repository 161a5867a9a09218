import * as Option from "effect/Option"

/** What each call costs: `free`, `pending`, or an amount of USD as it was typed. */
export type ImportPrice = "free" | "pending" | { readonly amount: string }

/** `free`, or an amount of USD with at most nine decimals. */
export const parsePrice = (text: string): Option.Option<ImportPrice> => {
  if (text === "free") return Option.some("free")
  return /^\d{1,7}(?:\.\d{1,9})?$/.test(text) ? Option.some({ amount: text }) : Option.none()
}

export const prefixPattern = /^[a-z0-9][a-z0-9_-]{0,63}$/

/** The first part of ids and paths, and of the file's name, for an upstream. */
export const prefixOf = (upstream: string): string =>
  upstream
    .toLowerCase()
    .replaceAll(/[^a-z0-9_-]+/g, "-")
    .replaceAll(/^[_-]+|-+$/g, "")
    .slice(0, 64) || "api"

export const fileNameOf = (upstream: string): string => `${prefixOf(upstream)}.operations.json`

export interface Options {
  readonly upstream: string
  /** The first segment after `/apis/v1/`, and the first part of ids. */
  readonly prefix: string
  readonly price: ImportPrice
  readonly only: ReadonlyArray<string>
}

/** Whether a text matches a pattern in which `*` stands for any characters. Takes time in proportion to both. */
export const matches = (pattern: string, text: string): boolean => {
  const [start = "", ...rest] = pattern.split("*")
  const end = rest.pop()
  if (end === undefined) return text === pattern
  if (!text.startsWith(start) || text.length < start.length + end.length || !text.endsWith(end)) return false
  let at = start.length
  for (const part of rest) {
    const found = text.indexOf(part, at)
    if (found === -1 || found + part.length > text.length - end.length) return false
    at = found + part.length
  }
  return true
}

/** Whether an operation is chosen by its id, its path, its method and path, or a tag. Without patterns, all are. */
export const isChosen = (
  only: ReadonlyArray<string>,
  operation: {
    readonly id: string
    readonly method: string
    readonly path: string
    readonly tags: ReadonlyArray<string>
  }
): boolean => {
  const { id, method, path, tags } = operation
  const names = [id, path, `${method} ${path}`, ...tags]
  return only.length === 0 || only.some((pattern) => names.some((name) => matches(pattern, name)))
}
