import { readFileSync } from "node:fs"
import { expect, it } from "vitest"
import { tollgate } from "../tollgate.ts"

const page = readFileSync(new URL("../../../../docs/admin.md", import.meta.url), "utf8")

it("docs/admin.md has a row for each command", async () => {
  const { stdout } = await tollgate({}, "--help")
  const [, listed = ""] = stdout.split("SUBCOMMANDS")
  const commands = [...listed.matchAll(/^ {2}([a-z-]+) /gm)].map(([, name = ""]) => name)
  expect(commands).toContain("start")
  expect(commands.filter((name) => !new RegExp(`^\\| \\[?\`${name}\\b`, "m").test(page))).toEqual([])
})
