import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { guideFolders } from "../package.ts"

const filesIn = (folder: string): ReadonlyArray<string> => {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}

const textsIn = (folder: string, ending: string): ReadonlyArray<readonly [string, string]> =>
  filesIn(folder)
    .filter((name) => name.endsWith(ending))
    .sort()
    .map((name) => [name, readFileSync(join(folder, name), "utf8")])

/** The guides and their pictures, by path. */
export const guideFiles = (): ReadonlyMap<string, string> => {
  const folder = guideFolders().find((one) => filesIn(one).includes("getting-started.md"))
  return folder === undefined
    ? new Map()
    : new Map([
        ...textsIn(folder, ".md"),
        ...textsIn(join(folder, "images"), ".svg").map(([name, text]) => [`images/${name}`, text] as const)
      ])
}
