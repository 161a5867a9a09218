#!/usr/bin/env node
import { outdatedNode } from "./outdatedNode.ts"

const problem = outdatedNode(process.versions.node)
if (problem === undefined) {
  // Nothing of the program is loaded before: an older Node fails at its imports, without saying why.
  await import("./program.ts")
} else {
  process.stderr.write(`${problem}\n`)
  process.exitCode = 1
}
