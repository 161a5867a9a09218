import { execFile } from "node:child_process"
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { afterEach, describe, expect, it } from "vitest"
import { addressIn, folder, gatewayProgram, type Program, rerank, start } from "../program.ts"
import { tollgate } from "../tollgate.ts"
import { idleStore, runningGateway } from "./setup.ts"

describe("tollgate backup", () => {
  const gateway = runningGateway()
  const idle = idleStore()
  let restored: Program | undefined
  afterEach(() => restored?.stop())

  it("copies the store beside a running gateway; a gateway on the copy has the same keys and balances", async () => {
    const key = gateway.firstKey()
    const account = await gateway.newUnlimitedAccount()
    await gateway.json("topup", account, "12.345678")
    const second = await gateway.newKey(account)
    // The backup is taken while calls go on, and some are in the journal only.
    let isOver = false
    const calling = (async () => {
      while (!isOver) expect((await gateway.costly(second.value)).status).toBe(200)
    })()
    await gateway.costly(second.value)
    const data = folder()
    const file = join(data, "tollgate.db")
    const { code, stderr, stdout } = await gateway.command("backup", file)
    isOver = true
    await calling
    expect([code, stderr]).toEqual([0, ""])
    expect(stdout).toContain(`keep a copy of ${join(gateway.data, "secret")}`)
    expect(readdirSync(data)).toEqual(["tollgate.db"])
    expect(statSync(file).mode & 0o777).toBe(0o600)
    expect(readFileSync(file).includes(readFileSync(join(gateway.data, "secret")))).toBe(false)

    // Without the secret nothing works, and none is made that would fit no key.
    for (const word of ["audit", "start"]) {
      const { code, stderr } = await tollgate({ TOLLGATE_DATA: data }, word)
      expect([code, stderr]).toEqual([1, expect.stringMatching(/^TOLLGATE_DATA: the file secret is missing [^\n]+\n$/)])
    }
    expect(readdirSync(data)).toEqual(["tollgate.db"])
    copyFileSync(join(gateway.data, "secret"), join(data, "secret"))
    const audit = await tollgate({ TOLLGATE_DATA: data }, "audit", "--json")
    expect([audit.code, audit.stderr]).toEqual([0, ""])
    const totals = (JSON.parse(audit.stdout) as { totals: Record<string, number> }).totals
    expect(totals).toMatchObject({ accounts: 2, keys: 2 })
    expect(Number(totals.entered_micros_usd) - Number(totals.charged_micros_usd)).toBe(totals.balance_micros_usd)
    expect(totals.calls).toBeGreaterThan(0)
    restored = start({ TOLLGATE_DATA: data })
    const address = addressIn(await restored.started)
    expect((await rerank(address, key)).status).toBe(200)
    expect((await rerank(address, second.value)).status).toBe(200)
    expect((await rerank(address, "tg_wrong")).status).toBe(401)
  })

  it("never replaces a file, and says why it cannot write", async () => {
    const file = join(folder(), "kept.db")
    writeFileSync(file, "mine")
    expect(await idle.command("backup", file)).toMatchObject({
      code: 1,
      stderr: `Cannot write the backup ${file}: the file exists\n`
    })
    expect(readFileSync(file, "utf8")).toBe("mine")
    const missing = join(folder(), "no", "such.db")
    expect((await idle.command("backup", missing)).stderr).toMatch(/^Cannot write the backup [^\n]*ENOENT[^\n]*\n$/)
    const nothing = folder()
    mkdirSync(join(nothing, "data"))
    const { stderr } = await tollgate({ TOLLGATE_DATA: join(nothing, "data") }, "backup", join(nothing, "x.db"))
    expect(stderr).toContain("is not a gateway's data folder")
    expect(existsSync(join(nothing, "x.db"))).toBe(false)
  })

  it("leaves no file if the disk is full", async () => {
    await idle.newAccount()
    const into = folder()
    // A limit on the size of files, in blocks, is a full disk to the program that writes.
    const command = `ulimit -f 16; exec "$0" "$1" backup "$2"`
    const ended = await new Promise<{ readonly failed: boolean; readonly stderr: string }>((resolve) =>
      execFile(
        "sh",
        ["-c", command, process.execPath, gatewayProgram, join(into, "copy.db")],
        { env: { PATH: process.env.PATH, TOLLGATE_DATA: idle.data } },
        (error, _, stderr) => resolve({ failed: error !== null, stderr })
      )
    )
    expect(ended).toEqual({ failed: true, stderr: expect.stringMatching(/^Cannot write the backup [^\n]+\n$/) })
    expect(readdirSync(into)).toEqual([])
  })

  it("of PostgreSQL is left to pg_dump", async () => {
    const { code, stderr } = await tollgate(
      { TOLLGATE_DATA: idle.data, TOLLGATE_STORE: "postgres://me:s3cret@127.0.0.1:1/x" },
      "backup",
      join(folder(), "x.db")
    )
    expect([code, stderr]).toEqual([1, expect.stringMatching(/^TOLLGATE_STORE is set: .*pg_dump[^\n]*\n$/)])
    expect(stderr).not.toContain("s3cret")
  })
})
