import { execFileSync } from "node:child_process"
import { existsSync } from "node:fs"
import { delimiter, join } from "node:path"

const isNode20 = (path: string): boolean =>
  existsSync(path) && execFileSync(path, ["--version"], { encoding: "utf8" }).startsWith("v20.")

/** The oldest Node that the client supports, if the machine has it as `node20` or `node`. */
export const node20: string | undefined = (process.env.PATH ?? "")
  .split(delimiter)
  .flatMap((folder) => [join(folder, "node20"), join(folder, "node")])
  .find(isNode20)
