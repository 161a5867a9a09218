import { globSync } from "node:fs"
import { members } from "../../release/src/member.ts"
import { root, succeed } from "../../release/src/program.ts"

const pending = (): boolean => globSync(".changeset/*.md", { cwd: root }).some((file) => !file.endsWith("README.md"))

/** Whether the source of a published package changed since the last release, which was the last to write change logs. */
const changed = async (): Promise<boolean> => {
  const published = members.filter(({ manifest }) => manifest.private !== true).map(({ folder }) => folder)
  const logs = published.map((folder) => `${folder}/CHANGELOG.md`)
  const release = (await succeed("git", ["log", "-1", "--format=%H", "--", ...logs])).trim()
  const sources = published.map((folder) => `${folder}/src`)
  return (await succeed("git", ["diff", "--name-only", release, "--", ...sources])) !== ""
}

export const changeset = async (): Promise<string> =>
  pending() || !(await changed()) ? "" : "A published package changed: describe it with `pnpm changeset`."
