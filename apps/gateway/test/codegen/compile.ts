import { execFile } from "node:child_process"
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"

const tsc = join(import.meta.dirname, "../../../../node_modules/.bin/tsc")

/** As strict as a project can be. */
const tsconfig = {
  extends: "../../../../tooling/tsconfig/core.json",
  compilerOptions: {
    composite: false,
    declaration: true,
    declarationMap: false,
    sourceMap: false,
    isolatedModules: true,
    noEmit: true,
    allowImportingTsExtensions: true,
    rewriteRelativeImportExtensions: false
  },
  include: ["*.ts"]
}

const dist = join(import.meta.dirname, "../../dist")

/** A folder within this package, so that its programs find what the package depends on. */
export const project = () => {
  mkdirSync(dist, { recursive: true })
  const folder = mkdtempSync(join(dist, "codegen-"))
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify(tsconfig))
  return {
    folder,
    path: (name: string): string => join(folder, name),
    write: (name: string, code: string): void => writeFileSync(join(folder, name), code),
    /** The errors of all files in it. */
    problems: (): Promise<string> =>
      new Promise((resolve) => {
        execFile(tsc, ["-p", folder, "--pretty", "false"], { maxBuffer: 64 * 1024 * 1024 }, (_, stdout) =>
          resolve(stdout)
        )
      }),
    remove: (): void => rmSync(folder, { recursive: true, force: true })
  }
}
