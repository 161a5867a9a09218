import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { filesRead } from "../../release/src/filesRead.ts"
import { readManifest } from "../../release/src/member.ts"
import { pack } from "../../release/src/pack.ts"
import { succeed } from "../../release/src/program.ts"
import { median } from "./middle.ts"

const names = ["@tollgate/node", "effect/Schema", "openai"]

const measured = `
  const began = process.cpuUsage()
  await import(process.argv[1])
  const { system, user } = process.cpuUsage(began)
  console.log((system + user) / 1000)
`

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

/** CPU time that importing a package takes, each in `processes` new processes, and the files that it reads. */
export const runStarts = async (processes: number): Promise<void> => {
  const project = mkdtempSync(join(tmpdir(), "tollgate-start-"))
  try {
    await install(project)
    const taken: ReadonlyArray<Array<number>> = names.map(() => [])
    for (let round = 0; round < processes; round++)
      for (const offset of names.keys()) {
        // Another order each round, so that no package always comes after the same one.
        const i = (round + offset) % names.length
        const args = ["--input-type=module", "--eval", measured, names[i]!]
        taken[i]!.push(Number(await succeed(process.execPath, args, project)))
      }
    const least = taken.map((millis) => Math.min(...millis))
    const files = await Promise.all(names.map((name) => filesRead(name, project)))
    console.log(`importing a package, ${processes} processes each`)
    console.table(
      names.map((name, i) => ({
        name,
        files: files[i]!.length,
        "lowest CPU ms": Math.round(least[i]!),
        "median CPU ms": Math.round(median(taken[i]!)),
        "lowest to openai's": Number((least[i]! / least.at(-1)!).toFixed(2))
      }))
    )
  } finally {
    rmSync(project, { recursive: true })
  }
}
