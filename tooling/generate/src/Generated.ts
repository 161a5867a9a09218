import { execFileSync } from "node:child_process"
import { join } from "node:path"
import { root } from "../../release/src/program.ts"

/** A committed file that is made, in part or whole, from the operations. */
export interface Generated {
  /** From the root of the repository. */
  readonly file: string
  /** The file's text with its generated part updated. The text is empty if there is no such file. */
  readonly make: (text: string) => Promise<string>
}

/** The text of a file as `pnpm format` would write it. */
export const formatted = (file: string, text: string): string =>
  execFileSync(join(root, "node_modules/.bin/oxfmt"), ["--stdin-filepath", file], {
    cwd: root,
    input: text,
    encoding: "utf8"
  })
