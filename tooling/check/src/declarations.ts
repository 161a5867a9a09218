import { existsSync, globSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { root } from "../../release/src/program.ts"
import { lines } from "./Check.ts"

/** Limit in kB (1,000 bytes). An inferred type that is written out makes a file many times larger. */
const limit = 8

/** A function of a generated file, which has one for each operation, or its errors. */
const functionIn = /^(?:export declare const|    readonly) \w+: \(|^export type \w+Error\b/gm

/** The size of a declaration file. Of a generated one it is the size of an average function, or of its types. */
const sizeOf = (path: string): number => {
  const text = readFileSync(path, "utf8")
  const functions = /\/generated\//.test(path) ? (text.match(functionIn)?.length ?? 1) : 1
  return Buffer.byteLength(text) / 1000 / functions
}

const packages = ["client", "node", "browser"]

/** Checks the size of each declaration file of what programs import. An editor reads them at every keystroke. */
export const declarations = async (): Promise<string> => {
  const files = packages.flatMap((name) => {
    const folder = join(root, "packages", name)
    return globSync("**/*.d.ts", { cwd: join(folder, "dist") })
      .filter((file) => existsSync(join(folder, "src", file.replace(/\.d\.ts$/, ".ts"))))
      .map((file) => ({ file: `${name}/dist/${file}`, kB: sizeOf(join(folder, "dist", file)) }))
  })
  const sorted = files.toSorted((a, b) => b.kB - a.kB)
  const [largest] = sorted
  if (largest === undefined) return "There are no declaration files: run the check of types first."
  console.log(`  largest declarations ${largest.kB.toFixed(1)} kB of ${limit}: ${largest.file}`)
  return lines(
    sorted
      .filter(({ kB }) => kB > limit)
      .map(({ file, kB }) => `${file}: ${kB.toFixed(1)} kB is over the limit of ${limit} kB. Write its types down.`)
  )
}
