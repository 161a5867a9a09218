import { execFile } from "node:child_process"
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"

const run = promisify(execFile)

const here = fileURLToPath(new URL("../..", import.meta.url))

/** Within this package, so that programs find what it depends on. */
const folderFor = (programs: ReadonlyMap<string, string>): string => {
  mkdirSync(join(here, "dist"), { recursive: true })
  const folder = mkdtempSync(join(here, "dist/examples-"))
  for (const [name, code] of programs) writeFileSync(join(folder, `${name}.ts`), code)
  return folder
}

const settings = {
  extends: "../../../../tooling/tsconfig/node.json",
  compilerOptions: {
    composite: false,
    declaration: false,
    declarationMap: false,
    incremental: false,
    noEmit: true,
    rewriteRelativeImportExtensions: false,
    allowImportingTsExtensions: true
  },
  include: ["*.ts"]
}

export interface Ran {
  readonly name: string
  readonly printed: string
  readonly failed?: string
}

/** Type-checks the programs. Returns what the compiler says about them. */
export const typeCheck = async (programs: ReadonlyMap<string, string>): Promise<string> => {
  const folder = folderFor(programs)
  try {
    writeFileSync(join(folder, "tsconfig.json"), JSON.stringify(settings))
    const compiler = join(here, "../../node_modules/typescript/bin/tsc")
    const { stdout } = await run(process.execPath, [compiler, "-p", folder, "--pretty", "false"]).catch(
      (error: { readonly stdout: string }) => error
    )
    return stdout
      .split("\n")
      .filter((line) => line.includes("/examples-"))
      .join("\n")
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** Runs the programs one after the other, in one process. */
export const runAll = async (
  programs: ReadonlyMap<string, string>,
  environment: Readonly<Record<string, string>>
): Promise<ReadonlyArray<Ran>> => {
  const folder = folderFor(programs)
  try {
    const program = fileURLToPath(new URL("./runAll.program.ts", import.meta.url))
    const { stdout } = await run(process.execPath, [program, folder], {
      env: { PATH: process.env.PATH, ...environment },
      maxBuffer: 64 * 1024 * 1024
    })
    return stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as Ran)
  } finally {
    rmSync(folder, { recursive: true })
  }
}
