import type { Metafile } from "esbuild"
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"

/** A package without a file of its licence names it, and who wrote it. */
const licenceOf = (folder: string): string => {
  const { author, homepage, license, name, version } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"))
  const file = readdirSync(folder).find((one) => /^licen[cs]e/i.test(one))
  if (file === undefined && license === undefined) throw new Error(`${name} has no licence to ship`)
  const by = author?.name ?? author ?? homepage ?? `https://www.npmjs.com/package/${name}`
  const text = file === undefined ? `${license}, by ${by}` : readFileSync(join(folder, file), "utf8").trim()
  return `${name} ${version}\n\n${text}\n`
}

/** The licences of the packages whose code is in bundles, which were made in this folder. */
export const licences = (folder: string, made: ReadonlyArray<Metafile>): string => {
  const files = made.flatMap(({ inputs }) => Object.keys(inputs))
  const folders = files.flatMap(
    (file) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(join(folder, file))?.[0] ?? []
  )
  return [...new Set([...new Set(folders)].map(licenceOf))].toSorted().join(`\n${"-".repeat(80)}\n\n`)
}
