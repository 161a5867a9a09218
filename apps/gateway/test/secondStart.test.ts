import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { afterAll, describe, expect, it } from "vitest"
import { addressIn, folder, keyIn, removeFolders, rerank } from "./program.ts"
import { programs } from "./programs.ts"
import { tollgate } from "./tollgate.ts"

const run = programs()
afterAll(removeFolders)

describe("a start on a store that lacks a column", () => {
  it("ends in one line that names it, and starts after the statement that the line says", async () => {
    const data = folder()
    const first = run({ TOLLGATE_DATA: data })
    await first.started
    await first.stop()
    const alter = (statement: string) => {
      const database = new DatabaseSync(join(data, "tollgate.db"))
      database.exec(statement)
      database.close()
    }
    alter("ALTER TABLE calls DROP COLUMN error")
    const refused = run({ TOLLGATE_DATA: data })
    const line = await refused.started
    const upgrade = "ALTER TABLE calls ADD COLUMN error TEXT"
    expect(line).toBe(
      `TOLLGATE_DATA: the table calls of the store has no column error, which this version needs: make a backup, then run ${upgrade}\n`
    )
    expect(await refused.ended).toMatchObject({ code: 1, stdout: "" })
    expect((await tollgate({ TOLLGATE_DATA: data }, "keys", "list")).stderr).toBe(line)
    alter(upgrade)
    expect(addressIn(await run({ TOLLGATE_DATA: data }).started)).not.toBe("")
  })
})

describe("a second gateway on the same data folder", () => {
  it("refuses to start, in one line that names the first; the first and the commands go on", async () => {
    const data = folder()
    const first = run({ TOLLGATE_DATA: data })
    const banner = await first.started
    const { code, stderr, stdout } = await run({ TOLLGATE_DATA: data }).ended
    expect([code, stdout]).toEqual([1, ""])
    expect(stderr).toMatch(
      new RegExp(
        `^TOLLGATE_DATA: another gateway \\(process ${first.child.pid} on \\S+\\) is using the folder ${data}; ` +
          "stop it first, or set another folder\\n$"
      )
    )
    expect((await rerank(addressIn(banner), keyIn(banner))).status).toBe(200)
    const printed = await tollgate({ TOLLGATE_DATA: data }, "keys", "list")
    expect([printed.code, printed.stderr]).toEqual([0, ""])
  })

  it("starts when the first has ended, also if it was killed", async () => {
    const data = folder()
    for (const signal of ["SIGKILL", "SIGTERM"] as const) {
      const earlier = run({ TOLLGATE_DATA: data })
      expect(addressIn(await earlier.started)).not.toBe("")
      earlier.child.kill(signal)
      await earlier.ended
    }
    expect(addressIn(await run({ TOLLGATE_DATA: data }).started)).not.toBe("")
  })
})
