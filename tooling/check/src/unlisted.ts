import { globSync, readFileSync } from "node:fs"
import { join } from "node:path"
import type { Packed } from "../../release/src/pack.ts"
import { subpaths } from "../../release/src/subpath.ts"

const importsOf = ({ tarball }: Packed): ReadonlyArray<string> => {
  const folder = tarball.replace(/\.tgz$/, "")
  return globSync("dist/**/*.{js,d.ts}", { cwd: folder }).flatMap((file) =>
    [...readFileSync(join(folder, file), "utf8").matchAll(/from "(@tollgate\/[^"]+)"/g)].map(([, name = ""]) => name)
  )
}

/** Modules that a package imports from another, which does not list them in the `exports` of its `publishConfig`. */
export const unlisted = (packed: ReadonlyArray<Packed>): ReadonlyArray<string> => {
  const open = new Set(packed.flatMap((one) => subpaths(one).open))
  return packed.flatMap((one) =>
    [...new Set(importsOf(one))]
      .filter((name) => !open.has(name))
      .map((name) => `${one.name}: imports ${name}, which is not in the exports of "publishConfig".`)
  )
}
