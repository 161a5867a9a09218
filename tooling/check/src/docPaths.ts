import { existsSync, globSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { root } from "../../release/src/program.ts"
import { lines } from "./Check.ts"

/** `gateway/src/call/` means `packages/gateway/src/call/`, or the same in `apps`. */
const places = ["", "packages", "apps"]

/** A path in backticks that begins at the root or with the name of a package. `<name>` and `…` stand for anything. */
const mentioned =
  /`((?:[\w.@-]+\/)?[\w-]+\/(?:src|test)\/[^`\s]*|(?:packages|apps|tooling|docs|\.ci|\.changeset)\/[^`\s]*)`/g

/** The map and the guides for contributors name files. Each file that they name exists. */
export const docPaths = async (): Promise<string> =>
  lines(
    ["ARCHITECTURE.md", "CONTRIBUTING.md", ...globSync("docs/internals/*.md", { cwd: root }).toSorted()].flatMap(
      (page) =>
        [...readFileSync(join(root, page), "utf8").matchAll(mentioned)]
          .map(([, path]) => path!)
          .filter((path) => !/[<…*{]/.test(path) && !places.some((place) => existsSync(join(root, place, path))))
          .map((path) => `${page}: names ${path}, which does not exist.`)
    )
  )
