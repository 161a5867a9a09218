import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"

// Addresses relative to this file hold in a bundle too, because it is as far from the root of the package.
const inPackage = (name: string): URL => new URL(`../${name}`, import.meta.url)

export const version = (): string => {
  const manifest: unknown = JSON.parse(readFileSync(inPackage("package.json"), "utf8"))
  return typeof manifest === "object" && manifest !== null && "version" in manifest ? String(manifest.version) : ""
}

export const includedPrices = (): string => fileURLToPath(inPackage("prices.json"))

/** Where the guides may be: in a package from npm, and in a checkout. */
export const guideFolders = (): ReadonlyArray<string> =>
  ["docs", "../../docs"].map((folder) => fileURLToPath(inPackage(folder)))
