import { cpSync, globSync, symlinkSync } from "node:fs"
import { basename, join } from "node:path"
import { checkers } from "./checkers.ts"
import { published } from "./member.ts"
import { root, succeed } from "./program.ts"

const left = new Set([".git", ".turbo", ".ci", "dist"])

const isCopied = (path: string): boolean => !left.has(basename(path)) && path !== join(root, "node_modules")

/** Makes the next release in a copy of the workspace: versions and change logs from the changesets, then a build. */
export const stage = async (into: string): Promise<void> => {
  cpSync(root, into, { recursive: true, verbatimSymlinks: true, filter: isCopied })
  symlinkSync(join(root, "node_modules"), join(into, "node_modules"))
  if (globSync(".changeset/*.md", { cwd: into }).length > 0) await succeed("changeset", ["version"], into)
  await succeed("node", ["tooling/generate/src/main.ts"], into)
  await succeed("tsc", ["-b", ...checkers, ...published.map(({ folder }) => folder)], into)
}
