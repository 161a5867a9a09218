import { globSync, readFileSync } from "node:fs"

const cwd = import.meta.dirname

/** The modules of other packages that built files import. Types that nobody wrote down are in `import("…")`. */
const importsIn = (files) =>
  globSync(files, { cwd }).flatMap((file) =>
    Array.from(
      readFileSync(`${cwd}/${file}`, "utf8").matchAll(/(?:from |import\()"(@tollgate\/[^"]+)"/g),
      ([, name]) => name
    )
  )

const built = (target) => target?.replace(/^\.\/src\/(.*)\.ts$/, "./dist/$1.js") ?? null

/** A pattern opens, when published, only what other packages import. The shorter list says so: Node reads it at each import. */
const opened = (folder, name) => {
  const imported = new Set(importsIn(`{packages,apps}/!(${folder})/dist/**/*.{js,d.ts}`))
  const modules = globSync("**/*.js", { cwd: `${cwd}/packages/${folder}/dist` })
    .map((file) => `./${file.slice(0, -".js".length)}`)
    .filter((key) => key !== "./index")
    .sort()
  const isOpen = (key) => imported.has(name + key.slice(1))
  const open = modules.filter(isOpen)
  if (open.length * 2 < modules.length) return open.map((key) => [key, `./dist/${key.slice(2)}.js`])
  return [["./*", "./dist/*.js"], ["./index", null], ...modules.filter((key) => !isOpen(key)).map((key) => [key, null])]
}

/** What a package exports when published follows from what it exports here: built files in place of sources. */
const publishedExports = ({ exports, name }) =>
  Object.fromEntries(
    Object.entries(exports).flatMap(([key, target]) => {
      if (key === "./*") return opened(name.slice("@tollgate/".length), name)
      return key.includes("*") ? [] : [[key, built(target)]]
    })
  )

export const hooks = {
  beforePacking: (manifest) => ({ ...manifest, exports: publishedExports(manifest) })
}
