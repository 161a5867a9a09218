import { createHash } from "node:crypto"
import {
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync
} from "node:fs"
import { basename, join } from "node:path"
import { root } from "./program.ts"

/** What a release is not made of. Installed packages are known by the lock file. */
const left = new Set(["node_modules", ".git", ".turbo", ".ci", ".tollgate", "dist"])

/** A hash of every file of which a release is made. */
const contentHash = (): string => {
  const hash = createHash("sha256")
  const files = globSync(["*", ".changeset/*", "{apps,docs,packages,tooling}/**"], {
    cwd: root,
    exclude: (name) => left.has(basename(name))
  })
  for (const file of files.sort())
    if (statSync(join(root, file)).isFile()) hash.update(`${file}\n`).update(readFileSync(join(root, file)))
  return hash.digest("hex")
}

const cache = join(root, "node_modules/.cache/tollgate-release")

const isKept = (name: string): boolean => !name.startsWith("making-")

/** Calls `make` in a folder of its own, so that nobody finds a part of what it makes. */
const keep = async (kept: string, make: (into: string) => Promise<void>): Promise<void> => {
  mkdirSync(cache, { recursive: true })
  for (const old of readdirSync(cache).filter(isKept)) rmSync(join(cache, old), { recursive: true, force: true })
  const making = mkdtempSync(join(cache, "making-"))
  try {
    await make(making)
    if (!existsSync(kept)) renameSync(making, kept)
  } finally {
    rmSync(making, { recursive: true, force: true })
  }
}

/** Fills a folder as `make` does, or with what it made of the same files before. */
export const cached = async (into: string, make: (into: string) => Promise<void>): Promise<void> => {
  const kept = join(cache, contentHash())
  if (!existsSync(kept)) await keep(kept, make)
  cpSync(kept, into, { recursive: true })
}
