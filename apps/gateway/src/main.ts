#!/usr/bin/env node
import { NodeRuntime } from "@tollgate/server"
import { run } from "./commands/tollgate.ts"

// What is stored is for its owner's eyes only.
process.umask(0o077)

// Whoever reads the output may leave early; the write that fails tells of it.
process.stdout.on("error", () => {})

NodeRuntime.runMain(run(process.argv.slice(2)))
