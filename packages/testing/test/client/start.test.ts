import { execFile } from "node:child_process"
import { promisify } from "node:util"
import { expect, it } from "vitest"

const program = `
  import { createRequire } from "node:module"
  const { cache } = createRequire(import.meta.url)
  const isLoaded = () => Object.keys(cache).some((file) => file.includes("/undici/"))
  const { createClient } = await import("@tollgate/node")
  const before = isLoaded()
  const tollgate = createClient({ credential: "tg_none", baseUrl: "http://127.0.0.1:9", retries: 0 })
  const { _tag } = await tollgate.accountBalance().catch((error) => error)
  console.log(JSON.stringify([before, _tag, isLoaded()]))
`

it("importing @tollgate/node does not load undici, and the first call does", async () => {
  const run = promisify(execFile)
  const { stdout } = await run(process.execPath, ["--input-type=module", "--eval", program], {
    cwd: import.meta.dirname
  })
  expect(JSON.parse(stdout)).toEqual([false, "TransportFailed", true])
})
