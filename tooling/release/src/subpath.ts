import type { Packed } from "./pack.ts"

/** The import paths of a package that must work, and those that must fail. */
export interface Subpaths {
  readonly open: ReadonlyArray<string>
  readonly refused: ReadonlyArray<string>
}

const matching = (pattern: string, names: ReadonlyArray<string>): ReadonlyArray<string> => {
  const [head = "", tail] = pattern.split("*")
  if (tail === undefined) return names.filter((name) => name === head)
  return names
    .filter((name) => name.startsWith(head) && name.endsWith(tail))
    .map((name) => name.slice(head.length, name.length - tail.length))
}

interface Subpath {
  readonly key: string
  readonly file: string
}

/** Every name that `exports` gives to a shipped file, and every module that it keeps closed; a program is not imported. */
export const subpaths = ({ files, manifest, name }: Packed): Subpaths => {
  const programs = Object.values(manifest.bin ?? {}).map((file) => file.replace(/^(\.\/)?/, "./"))
  const shipped = files.map((file) => `./${file}`).filter((file) => !programs.includes(file))
  const entries = Object.entries(manifest.exports ?? {})
  const isClosed = (key: string): boolean =>
    entries.some(([pattern, target]) => target === null && matching(pattern, [key]).length > 0)
  const open = entries.flatMap(([key, target]): ReadonlyArray<Subpath> => {
    if (target === null) return []
    if (!key.includes("*")) return [{ key, file: target }]
    return matching(target, shipped)
      .map((star) => ({ key: key.replace("*", star), file: target.replace("*", star) }))
      .filter(({ key }) => !isClosed(key))
  })
  const closed = matching("./dist/*.js", shipped).filter(
    (star) => !open.some(({ file }) => file === `./dist/${star}.js`)
  )
  return {
    open: open.map(({ key }) => name + key.slice(1)),
    refused: closed.map((module) => `${name}/${module}`)
  }
}
