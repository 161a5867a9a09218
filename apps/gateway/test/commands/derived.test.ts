import type * as Command from "effect/cli/Command"
import { describe, expect, it } from "vitest"
import * as derived from "../../src/commands/admin.ts"
import { idleStore } from "./setup.ts"

const { command } = idleStore()

type AnyCommand = Command.Command.Any

const pathsOf = (command: AnyCommand, before: ReadonlyArray<string> = []): ReadonlyArray<ReadonlyArray<string>> => {
  const path = [...before, command.name]
  const inner = command.subcommands.flatMap(({ commands }) => commands)
  return inner.length === 0 ? [path] : inner.flatMap((one) => pathsOf(one, path))
}

const { accounts, adjust, clients, gateways, grants, keys, refund, reverse, topup } = derived
const paths = [accounts, adjust, clients, gateways, grants, keys, refund, reverse, topup].flatMap((one) => pathsOf(one))

describe("every command that is derived from the admin API", () => {
  it.each(paths.map((path) => [path.join(" "), path] as const))(
    "%s: help, and a wrong flag by name",
    async (_, path) => {
      const help = await command(...path, "--help")
      expect([help.code, help.stderr]).toEqual([0, ""])
      expect(help.stdout).toMatch(/^ {2}--json {2,}\S/m)
      // Each flag and each argument says what it is.
      for (const line of help.stdout.matchAll(/^ {2}(?!tollgate)(?:--)?[a-z-]+.*$/gm))
        expect(line[0]).toMatch(/\S {2,}\S/)
      const wrong = await command(...path, "--no-such-flag", "x")
      expect([wrong.code, wrong.stdout]).toEqual([1, ""])
      expect(wrong.stderr).toContain("--no-such-flag")
      expect(wrong.stderr.split("\n")).toHaveLength(2)
    }
  )

  it("has the words of the API", async () => {
    const { stdout } = await command("keys", "create", "--help")
    expect(stdout).toContain("Creates a key. Only this answer has the key itself")
    expect(stdout).toMatch(/--budget usd +The most that the key may spend in total\. none: no limit/)
    expect(stdout).toMatch(/--per-month usd +The most that the key may spend in a month, in UTC/)
    expect((await command("topup", "--help")).stdout).toMatch(/tollgate topup .*<account> <usd>/)
  })
})
