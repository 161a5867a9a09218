import { execFileSync } from "node:child_process"
import { existsSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { folder } from "../program.ts"
import { tollgate } from "../tollgate.ts"
import { idleStore } from "./setup.ts"

const { command, newAccount, newKey } = idleStore()

describe("a mistake is one line on standard error, and exit code 1", () => {
  it.each([
    [["nothing"], /Unknown subcommand "nothing"/],
    [["accounts", "create"], /Missing required argument: label/],
    [["accounts", "create", "two\nlines"], /one line of 1 to 200 characters/],
    [["accounts", "list", "--jsn"], /--jsn/],
    [["accounts", "show", "acct_x"], /^There is no account acct_x\.$/],
    [["accounts", "set", "acct_x"], /^Name what to set: --label, --tier, /],
    [["accounts", "set", "acct_x", "--rpm", "0"], /a whole number from 1/],
    [["accounts", "set", "acct_x", "--multiplier", "1,5"], /such as 1\.45/],
    [["topup", "acct_x", "0"], /greater than zero/],
    [["topup", "acct_x", "1e3"], /at most six decimals/],
    [["topup", "acct_x", "1.0000001"], /at most six decimals/],
    [["keys", "create", "acct_x"], /^There is no account acct_x\.$/],
    [["keys", "list", "acct_x"], /^There is no account acct_x\.$/],
    [["keys", "revoke", "key_x"], /^There is no key key_x\.$/],
    [["keys", "rotate", "key_x", "--grace", "31d"], /at most 30 days/],
    [["usage", "acct_x"], /^There is no account acct_x\.$/],
    [["usage", "acct_x", "--from", "2026-02-30"], /a day such as/]
  ] as const)("%j", async (words, line) => {
    const { code, stderr, stdout } = await command(...words)
    expect([code, stdout]).toEqual([1, ""])
    expect(stderr.split("\n")).toEqual([expect.stringMatching(line), ""])
  })

  it("a key in place of its id is refused without being repeated", async () => {
    const { value } = await newKey(await newAccount())
    for (const words of [["keys", "revoke"], ["usage"], ["export", "--key"]]) {
      const { code, stderr } = await command(...words, value)
      expect(code).toBe(1)
      expect(stderr).toContain("not the key itself")
      expect(stderr).not.toContain(value.slice(3, 20))
    }
  })

  it("a folder without a gateway's store is refused, and no store is made there", async () => {
    const empty = join(folder(), "typo")
    for (const words of [["accounts", "create", "x"], ["audit"]]) {
      expect(await tollgate({ TOLLGATE_DATA: empty }, ...words)).toMatchObject({
        code: 1,
        stdout: "",
        stderr: `TOLLGATE_DATA: ${empty} is not a gateway's data folder; the first start creates it\n`
      })
    }
    expect(existsSync(empty)).toBe(false)
  })
})

describe("help", () => {
  it("lists the commands of the program and of each noun, on standard output", async () => {
    const { code, stderr, stdout } = await command("--help")
    expect([code, stderr]).toEqual([0, ""])
    for (const name of ["start", "accounts", "keys", "topup", "adjust", "usage", "audit", "export"]) {
      expect(stdout).toMatch(new RegExp(`^ {2}${name} {2,}\\S`, "m"))
    }
    for (const words of [["keys", "--help"], ["keys"]]) {
      const keys = await command(...words)
      expect([keys.code, keys.stderr]).toEqual([0, ""])
      for (const name of ["create", "list", "set", "revoke", "rotate"]) {
        expect(keys.stdout).toMatch(new RegExp(`^ {2}${name} {2,}\\S`, "m"))
      }
    }
    expect((await command("keys", "create", "--help")).stdout).toMatch(/--budget usd/)
    expect((await command("--version")).stdout).toMatch(/^\d+\.\d+\.\d+\S*\n$/)
    // A word that is no command, in place of the file to import.
    expect((await command("operations", "import", "api.yaml", "--help")).code).toBe(0)
  })
})

describe("completion", () => {
  it("is a script for each shell, in which bash finds commands and flags", async () => {
    for (const shell of ["bash", "zsh", "fish"]) {
      const { code, stderr, stdout } = await command("--completions", shell)
      expect([shell, code, stderr]).toEqual([shell, 0, ""])
      expect(stdout).toContain("reconcile")
    }
    const { stdout: script } = await command("--completions", "bash")
    const complete = (...words: ReadonlyArray<string>) =>
      execFileSync("bash", [
        "--norc",
        "-c",
        `${script}\nCOMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) COMP_LINE="$*" COMP_POINT=\${#COMP_LINE}\n_tollgate tollgate\necho "\${COMPREPLY[@]}"`,
        "bash",
        ...words
      ])
        .toString()
        .trim()
    expect(complete("tollgate", "ke")).toBe("keys")
    expect(complete("tollgate", "keys", "re")).toBe("revoke")
    expect(complete("tollgate", "keys", "create", "--bud")).toBe("--budget")
  })
})
