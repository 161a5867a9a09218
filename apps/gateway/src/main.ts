#!/usr/bin/env node
import * as NodeRuntime from "@tollgate/node/Runtime"
import { run } from "./commands/tollgate.ts"

// What is stored is for its owner's eyes only.
process.umask(0o077)

// Whoever reads the output may leave early; the write that fails tells of it.
process.stdout.on("error", () => {})

NodeRuntime.runMain(run(process.argv.slice(2)))
