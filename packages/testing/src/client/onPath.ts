import { existsSync } from "node:fs"
import { delimiter, join } from "node:path"

/** The file of a program, if it is installed. */
export const onPath = (name: string): string | undefined =>
  (process.env.PATH ?? "")
    .split(delimiter)
    .map((folder) => join(folder, name))
    .find((path) => existsSync(path))
