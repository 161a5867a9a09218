#!/usr/bin/env node
import { outdatedNode } from "./outdatedNode.ts"

const problem = outdatedNode(process.versions.node)
if (problem === undefined) {
  // Files that the gateway creates are readable by their owner only.
  process.umask(0o077)
  // Nothing of the program is loaded before: an older Node fails at its imports, without saying why.
  const { keepCompiled } = await import("./compileCache.ts")
  try {
    keepCompiled()
  } catch {
    // Without a user or a home nothing is kept.
  }
  await import("./program.ts")
} else {
  process.stderr.write(`${problem}\n`)
  process.exitCode = 1
}
