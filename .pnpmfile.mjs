import { existsSync, readdirSync, readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"

// pnpm loads this file with the Node that starts it, which may be 20.
const root = fileURLToPath(new URL(".", import.meta.url))

const filesIn = (folder) =>
  existsSync(folder) ? readdirSync(folder, { recursive: true }).map((file) => file.replaceAll("\\", "/")) : []

/** The modules of other packages that built files import. Types that nobody wrote down are in `import("…")`. */
const importsIn = (folder) =>
  filesIn(folder)
    .filter((file) => /\.(?:js|d\.ts)$/.test(file))
    .flatMap((file) =>
      Array.from(
        readFileSync(`${folder}/${file}`, "utf8").matchAll(/(?:from |import\()"(@tollgate\/[^"]+)"/g),
        ([, name]) => name
      )
    )

const built = (target) => target?.replace(/^\.\/src\/(.*)\.ts$/, "./dist/$1.js") ?? null

/** A pattern opens, when published, only what other packages import. The shorter list says so: Node reads it at each import. */
const opened = (folder, name) => {
  const others = ["packages", "apps"].flatMap((parent) =>
    readdirSync(root + parent).flatMap((name) => (name === folder ? [] : [`${root}${parent}/${name}/dist`]))
  )
  const imported = new Set(others.flatMap(importsIn))
  const modules = filesIn(`${root}packages/${folder}/dist`)
    .filter((file) => file.endsWith(".js"))
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
