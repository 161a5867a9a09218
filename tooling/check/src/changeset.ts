import { globSync } from "node:fs"
import { members } from "../../release/src/member.ts"
import { program, root, succeed } from "../../release/src/program.ts"

const pending = (): boolean => globSync(".changeset/*.md", { cwd: root }).some((file) => !file.endsWith("README.md"))

/** Whether the source of a published package changed since the last release. True before the first release. */
const changed = async (): Promise<boolean> => {
  const tag = await program("git", ["describe", "--tags", "--abbrev=0"])
  if (!tag.ok) return true
  const folders = members.filter(({ manifest }) => manifest.private !== true).map(({ folder }) => `${folder}/src`)
  return (await succeed("git", ["diff", "--name-only", tag.stdout.trim(), "--", ...folders])) !== ""
}

export const changeset = async (): Promise<string> =>
  pending() || !(await changed()) ? "" : "A published package changed: describe it with `pnpm changeset`."
