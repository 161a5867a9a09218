import { globSync, readFileSync } from "node:fs"
import { join } from "node:path"
import type { Packed } from "../../release/src/pack.ts"
import { subpaths } from "../../release/src/subpath.ts"

/** Declarations that nobody reaches name modules in `import("…")`, too. */
const importsOf = ({ tarball }: Packed) => {
  const folder = tarball.replace(/\.tgz$/, "")
  const all = globSync("dist/**/*.{js,d.ts}", { cwd: folder })
    .map((file) => readFileSync(join(folder, file), "utf8"))
    .join("\n")
  const named = (pattern: RegExp) => new Set([...all.matchAll(pattern)].map(([, name = ""]) => name))
  return {
    imports: named(/from "(@tollgate\/[^"]+)"/g),
    names: named(/(?:from |import\()"(@tollgate\/[^"]+)"/g)
  }
}

const isPattern = (path: string): boolean => path.includes("*")

/**
 * Modules that a package imports from another, which keeps them closed. Modules that a pattern opens, and that no other
 * package imports: a new file must not become an entry point because nobody closed it.
 */
export const misplaced = (packed: ReadonlyArray<Packed>): ReadonlyArray<string> => {
  const all = packed.map((one) => ({ ...one, ...importsOf(one), open: subpaths(one).open }))
  const open = new Set(all.flatMap((one) => one.open))
  return all.flatMap((one) => {
    const keys = Object.keys(one.manifest.exports ?? {})
    const closed = [...one.imports].filter((name) => !open.has(name))
    const byPattern = keys.some(isPattern) ? one.open.filter((name) => !keys.includes(name.replace(one.name, "."))) : []
    const unused = byPattern.filter((name) => !all.some((other) => other !== one && other.names.has(name)))
    return [
      ...closed.map((name) => `${one.name}: imports ${name}, which is not in the exports of "publishConfig".`),
      ...unused.map((name) => `${one.name}: a pattern opens ${name}, which no package imports. Close it with null.`)
    ]
  })
}
