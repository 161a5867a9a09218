import { attempt } from "@tollgate/contract/attempt"
type Pair = readonly [name: string, value: string]

/** The parameters of a query string, in their order. `undefined`: its encoding is invalid. */
export const queryPairs = (text: string): Array<Pair> | undefined => {
  const pairs: Array<Pair> = []
  if (text === "") return pairs
  return attempt(() => {
    for (const part of text.split("&")) {
      if (part === "") continue
      const at = part.indexOf("=")
      const name = decodeURIComponent((at === -1 ? part : part.slice(0, at)).replaceAll("+", " "))
      const value = at === -1 ? "" : decodeURIComponent(part.slice(at + 1).replaceAll("+", " "))
      pairs.push([name, value])
    }
    return pairs
  })
}

/** Parses a query string. `undefined`: its encoding is invalid. Of duplicate names the first counts. */
export const parseQuery = (text: string): Map<string, string> | undefined => {
  const pairs = queryPairs(text)
  return pairs && firstOf(pairs)
}

/** Of duplicate names the first counts. */
export const firstOf = (pairs: Iterable<Pair>): Map<string, string> => {
  const parameters = new Map<string, string>()
  for (const [name, value] of pairs) if (!parameters.has(name)) parameters.set(name, value)
  return parameters
}

/** Contains a dot segment, which could lead to another path of the upstream. */
export const hasDotSegment = (value: string): boolean => /(?:^|[/\\])\.\.?(?:[/\\]|$)/.test(value)
