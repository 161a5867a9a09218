import { globSync } from "node:fs"
import { join } from "node:path"
import { published } from "../../release/src/member.ts"
import type { Packed } from "../../release/src/pack.ts"
import { root } from "../../release/src/program.ts"

/** Every page in the package's folder, and what a release adds. */
const pages = (name: string): ReadonlyArray<string> => {
  const { folder } = published.find(({ manifest }) => manifest.name === name)!
  return [...new Set(["README.md", "CHANGELOG.md", "LICENSE", ...globSync("*.md", { cwd: join(root, folder) })])]
}

const fields = ["description", "keywords", "license", "sideEffects", "engines", "exports"] as const

/** What a reader on npm, a bundler or a compiler would miss in a tarball. */
export const missing = ({ files, manifest, name }: Packed): ReadonlyArray<string> =>
  [
    ...pages(name).filter((page) => !files.includes(page)),
    ...fields.filter((field) => manifest[field] === undefined).map((field) => `"${field}" in package.json`)
  ].map((what) => `${name}: the tarball lacks ${what}.`)
