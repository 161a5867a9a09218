import { execFileSync } from "node:child_process"
import { existsSync } from "node:fs"
import { delimiter, join } from "node:path"

const folders = (process.env.PATH ?? "").split(delimiter)

const isNode20 = (path: string): boolean =>
  existsSync(path) && execFileSync(path, ["--version"], { encoding: "utf8" }).startsWith("v20.")

/** The oldest Node that the client supports, if the machine has it as `node20` or `node`. */
export const node20: string | undefined = folders
  .flatMap((folder) => [join(folder, "node20"), join(folder, "node")])
  .find(isNode20)

/** The command that runs a module with the packages of npm beside it, in each runtime that has them and is installed. */
export const commands = (): Readonly<Record<string, ReadonlyArray<string> | undefined>> => {
  const command = (name: string, ...args: ReadonlyArray<string>) => {
    const file = folders.map((folder) => join(folder, name)).find((path) => existsSync(path))
    return file === undefined ? undefined : [file, ...args]
  }
  return {
    "Node 20": node20 === undefined ? undefined : [node20],
    "Node 22": command("node22"),
    "Node 24": [process.execPath],
    Bun: command("bun", "run"),
    Deno: command("deno", "run", "--allow-net", "--allow-env", "--allow-read", "--node-modules-dir=manual")
  }
}
