import { readFileSync } from "node:fs"

/** The first version in `engines` of package.json, such as 22.19 of ">=22.19". */
const neededNode = (): string => {
  const manifest = readFileSync(new URL("../package.json", import.meta.url), "utf8")
  return /"node":\s*">=([\d.]+)"/.exec(manifest)?.[1] ?? "0"
}

const compareVersions = new Intl.Collator("en", { numeric: true }).compare

/** What to tell the user if this version of Node is older than the program needs. */
export const outdatedNode = (version: string): string | undefined => {
  const needed = neededNode()
  return compareVersions(version, needed) < 0 ? `tollgate needs Node ${needed} or newer; this is ${version}` : undefined
}
