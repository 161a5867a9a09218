import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { filesRead } from "../../release/src/filesRead.ts"
import { readManifest } from "../../release/src/member.ts"
import { pack } from "../../release/src/pack.ts"
import { program, succeed } from "../../release/src/program.ts"
import { median } from "./middle.ts"

/** What is imported, how a client is made of it, and a program that names its types. */
const packages = {
  "@tollgate/node": {
    make: "createClient({ credential: 'tg_' })",
    program:
      'import { createClient } from "@tollgate/node"\nexport const answer = createClient().chatCompletions({ model: "m", messages: [] })'
  },
  "@tollgate/node/effect": {
    make: "createClient({ credential: 'tg_' })",
    program:
      'import { chatCompletions } from "@tollgate/node/effect"\nexport const answer = chatCompletions({ model: "m", messages: [] })'
  },
  openai: {
    make: "new OpenAI({ apiKey: 'x' })",
    program:
      'import OpenAI from "openai"\nexport const answer = new OpenAI().chat.completions.create({ model: "m", messages: [] })'
  }
} as const

type Name = keyof typeof packages

const names = Object.keys(packages) as ReadonlyArray<Name>

/** With `cached`, Node keeps what it compiled in a folder. */
const measured = (name: Name, cached: boolean) => `
  ${cached ? 'require("node:module").enableCompileCache?.("compiled")' : ""}
  const began = process.cpuUsage()
  import("${name}").then(({ createClient, OpenAI }) => {
    ${packages[name].make}
    const { system, user } = process.cpuUsage(began)
    console.log((system + user) / 1000)
    process.exit()
  })
`

/** The memory that the compiler takes for a program, in MB, with the declarations of libraries checked. */
const typeChecked = async (name: Name, project: string): Promise<number> => {
  writeFileSync(join(project, "program.mts"), packages[name].program)
  const options = [
    "--noEmit",
    "--strict",
    "--target",
    "es2022",
    "--module",
    "nodenext",
    "--lib",
    "es2024,dom,dom.asynciterable"
  ]
  // The declarations of other packages have errors of their own, without `skipLibCheck`; what is read is the same.
  const { stdout } = await program(
    "tsc",
    ["--singleThreaded", "--extendedDiagnostics", ...options, "program.mts"],
    project
  )
  return Number(/Memory used:\s+(\d+)K/.exec(stdout)?.[1]) / 1_000
}

/** Installs the tarballs as a user would: in the workspace, packages are sources without a build. */
const install = async (project: string): Promise<void> => {
  const packed = (await pack(project)).filter(({ name }) => /\/(?:contract|client|node)$/.test(name))
  const tarballs = Object.fromEntries(packed.map(({ name, tarball }) => [name, `file:${tarball}`]))
  const { effect } = packed.find(({ name }) => name === "@tollgate/client")!.manifest.devDependencies!
  const { openai } = readManifest(join(import.meta.dirname, "../package.json")).dependencies!
  const dependencies = { ...tarballs, effect, openai }
  writeFileSync(
    join(project, "package.json"),
    JSON.stringify({ private: true, type: "module", dependencies, overrides: tarballs })
  )
  await succeed("npm", ["install", "--no-audit", "--no-fund", "--prefer-offline", "--loglevel=error"], project)
}

/** CPU time that importing a package and making a client takes, each in `processes` new processes, and the files that it reads. */
export const runStarts = async (processes: number): Promise<void> => {
  const project = mkdtempSync(join(tmpdir(), "tollgate-start-"))
  try {
    await install(project)
    const taken: ReadonlyArray<Array<number>> = names.map(() => [])
    const again: ReadonlyArray<Array<number>> = names.map(() => [])
    for (let round = 0; round < processes; round++)
      for (const offset of names.keys()) {
        // Another order each round, so that no package always comes after the same one.
        const i = (round + offset) % names.length
        const run = async (cached: boolean) =>
          Number(await succeed(process.execPath, ["--eval", measured(names[i]!, cached)], project))
        taken[i]!.push(await run(false))
        again[i]!.push(await run(true))
      }
    const least = taken.map((millis) => Math.min(...millis))
    const memory: Array<number> = []
    for (const name of names) memory.push(await typeChecked(name, project))
    const files = await Promise.all(names.map((name) => filesRead(name, project)))
    console.log(`importing a package and making a client, ${processes} processes each`)
    console.table(
      names.map((name, i) => ({
        name,
        files: files[i]!.length,
        "lowest CPU ms": Math.round(least[i]!),
        "median CPU ms": Math.round(median(taken[i]!)),
        "median to openai's": Number((median(taken[i]!) / median(taken.at(-1)!)).toFixed(2)),
        "compile cache": Number((median(again[i]!) / median(again.at(-1)!)).toFixed(2)),
        "tsc MB": Math.round(memory[i]!),
        "tsc to openai's": Number((memory[i]! / memory.at(-1)!).toFixed(2))
      }))
    )
  } finally {
    rmSync(project, { recursive: true })
  }
}
