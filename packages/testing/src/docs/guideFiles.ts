import { globSync, readFileSync } from "node:fs"
import { join } from "node:path"

const folder = join(import.meta.dirname, "../../../../docs")

/** The guides of this repository, as the program reads them. */
export const guideFiles = (): ReadonlyMap<string, string> =>
  new Map(
    globSync(["*.md", "images/*.svg"], { cwd: folder }).map((path) => [path, readFileSync(join(folder, path), "utf8")])
  )
