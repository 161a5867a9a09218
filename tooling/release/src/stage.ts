import { cpSync, symlinkSync } from "node:fs"
import { join, relative } from "node:path"
import { root, succeed } from "./program.ts"

const left = new Set(["node_modules", ".git", ".turbo", ".ci"])

/** Copies the workspace, and turns the changesets of the copy into versions and change logs, as a release does. */
export const stage = async (into: string): Promise<void> => {
  cpSync(root, into, {
    recursive: true,
    verbatimSymlinks: true,
    filter: (path) => !left.has(relative(root, path)) && !path.endsWith(".tsbuildinfo")
  })
  symlinkSync(join(root, "node_modules"), join(into, "node_modules"))
  await succeed("changeset", ["version"], into)
  await succeed("node", ["tooling/generate/src/main.ts"], into)
}
