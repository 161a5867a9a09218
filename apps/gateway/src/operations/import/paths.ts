import { defaults } from "@tollgate/contract/Names"
import { uniqueIn, wordsOf } from "./ids.ts"

/** A path at the upstream, and the path at the gateway that it gets. */
export interface Paths {
  readonly gateway: string
  /** With the names that parameters have at the gateway. */
  readonly upstream: string
  /** The parameters in the path: the document's name for each, and the gateway's. */
  readonly names: ReadonlyMap<string, string>
}

const allowed = /^(?:\/(?:[A-Za-z0-9_~.:@+-]|\{[A-Za-z_$][A-Za-z0-9_.$-]{0,63}\})+)+$/
const allowedName = /^[A-Za-z_$][A-Za-z0-9_.$-]{0,63}$/
const hasDots = /\/\.{1,2}(?:\/|$)/
const maxName = 60

/** Some names in braces mean names of the gateway. */
const nameFor = (name: string): string => {
  if (Object.hasOwn(defaults, name)) return `${name}_`
  return allowedName.test(name)
    ? name
    : wordsOf(name)
        .join("_")
        .replace(/^(?=\d|$)/, "p_")
        .slice(0, maxName)
}

/** What the gateway does not take in a path separates two segments there. */
const plain = (path: string): string =>
  path
    .replaceAll(/(\{[^}]*\})|[^A-Za-z0-9_~.:@+/-]+/g, (_, parameter: string | undefined) => parameter ?? "/")
    .replaceAll("}{", "}/{")
    .replaceAll(/\/{2,}/g, "/")
    .replace(/\/$/, "")

/** `undefined`: the gateway cannot have this path. The upstream is called at the path of the document. */
export const pathsOf = (path: string, prefix: string): Paths | undefined => {
  if (!path.startsWith("/") || /[?#\s]/.test(path) || hasDots.test(path)) return undefined
  const names = new Map<string, string>()
  const taken = new Set<string>()
  let isRepeated = false
  const upstream = path.replaceAll(/\{([^{}]*)\}/g, (_, name: string) => {
    if (names.has(name)) isRepeated = true
    const own = uniqueIn(taken, nameFor(name))
    names.set(name, own)
    return `{${own}}`
  })
  if (/[{}]/.test(path.replaceAll(/\{[^{}]+\}/g, ""))) return undefined
  const gateway = `/apis/v1/${prefix}${plain(upstream)}`
  return isRepeated || !allowed.test(gateway) || hasDots.test(gateway) ? undefined : { gateway, upstream, names }
}

/** Two paths of this shape answer to the same calls. */
export const shapeOf = (path: string): string => path.replaceAll(/\{[^}]*\}/g, "{}")
