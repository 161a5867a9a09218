import type { Packed } from "./pack.ts"

/** The import paths of a package that must work, and those that must fail. */
export interface Subpaths {
  readonly open: ReadonlyArray<string>
  readonly refused: ReadonlyArray<string>
}

const matching = (pattern: string, names: ReadonlyArray<string>): ReadonlyArray<string> => {
  const [head = "", tail = ""] = pattern.split("*")
  return names
    .filter((name) => name.startsWith(head) && name.endsWith(tail))
    .map((name) => name.slice(head.length, name.length - tail.length))
}

/** Derived from `exports` and the shipped files. Programs are left out: importing them would run them. */
export const subpaths = ({ files, manifest, name }: Packed): Subpaths => {
  const programs = Object.values(manifest.bin ?? {}).map((file) => file.replace(/^(\.\/)?/, "./"))
  const shipped = files.map((file) => `./${file}`).filter((file) => !programs.includes(file))
  const named = Object.entries(manifest.exports ?? {}).flatMap(([key, target]) => {
    if (target === null) return []
    return key.includes("*") ? matching(target, shipped).map((star) => key.replace("*", star)) : [key]
  })
  return {
    open: named.filter((key) => !key.startsWith("./internal/")).map((key) => name + key.slice(1)),
    refused: matching("./dist/internal/*.js", shipped).map((module) => `${name}/internal/${module}`)
  }
}
