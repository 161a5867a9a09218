import { inspect } from "node:util"

/** Every text reachable through the fields of a value, as an error reporter would collect it. */
const reachable = (value: unknown): string => {
  const texts: Array<string> = []
  const seen = new Set<unknown>()
  const rest: Array<unknown> = [value]
  while (rest.length > 0) {
    const next = rest.pop()
    if (typeof next === "string") texts.push(next)
    if ((typeof next !== "object" && typeof next !== "function") || next === null || seen.has(next)) continue
    seen.add(next)
    if (next instanceof Map || next instanceof Set) rest.push(...next)
    for (const key of Reflect.ownKeys(next)) {
      const descriptor = Object.getOwnPropertyDescriptor(next, key)
      texts.push(String(key))
      if (descriptor !== undefined && "value" in descriptor) rest.push(descriptor.value)
    }
  }
  return texts.join("\n")
}

const chain = (error: unknown): ReadonlyArray<unknown> =>
  error instanceof Error ? [error, ...chain(error.cause)] : error === undefined ? [] : [error]

/** All that a logger or an error reporter could show of an error and its causes. */
export const shown = (error: unknown): string =>
  chain(error)
    .flatMap((link) => [
      String(link),
      link instanceof Error ? `${link.stack} ${link.message} ${link.name}` : "",
      JSON.stringify(link),
      inspect(link, { depth: 20, showHidden: true, getters: true }),
      inspect(link, { depth: 20, customInspect: false, showHidden: true }),
      reachable(link)
    ])
    .join("\n")
