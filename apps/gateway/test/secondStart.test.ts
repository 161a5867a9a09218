import { afterAll, describe, expect, it } from "vitest"
import { addressIn, folder, keyIn, removeFolders, rerank } from "./program.ts"
import { programs } from "./programs.ts"
import { tollgate } from "./tollgate.ts"

const run = programs()
afterAll(removeFolders)

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
