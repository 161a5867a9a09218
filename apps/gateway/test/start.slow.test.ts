import { execFile } from "node:child_process"
import { existsSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { promisify } from "node:util"
import { afterAll, describe, expect, it } from "vitest"
import { addressIn, bytesIn, curlIn, folder, keyIn, type Program, removeFolders, rerank } from "./program.ts"
import { programs } from "./programs.ts"
import { askHeld, pausedUpstream } from "./pausedUpstream.ts"
import { startGateway, tollgate } from "./tollgate.ts"

const run = programs()
afterAll(removeFolders)

const bash = promisify(execFile)
const results = { results: expect.any(Array), usage: { total_tokens: expect.any(Number) } }

describe("the first start", () => {
  it("prints a key and a curl command that works as it is", async () => {
    const data = join(folder(), "new", "folder")
    const program = run({ TOLLGATE_DATA: data })
    const banner = await program.started
    expect(addressIn(banner)).toMatch(/^http:\/\/127\.0\.0\.1:[1-9]\d+$/)
    const { stdout } = await bash("bash", ["-c", `${curlIn(banner)} --silent --show-error --fail`])
    expect(JSON.parse(stdout)).toMatchObject(results)
    expect((await rerank(addressIn(banner), keyIn(banner))).status).toBe(200)
    // Readable by their owner only.
    expect(statSync(data).mode & 0o777).toBe(0o700)
    expect(statSync(join(data, "secret")).mode & 0o777).toBe(0o600)
    const ended = await program.stop()
    expect([ended.code, ended.stderr]).toEqual([0, ""])
  })

  it("stores no key, and shows it once only", async () => {
    const data = folder()
    const first = run({ TOLLGATE_DATA: data })
    const banner = await first.started
    const key = keyIn(banner)
    expect(key).toMatch(/^tg_[0-9a-z]{39}$/)
    await rerank(addressIn(banner), key)
    for (const part of [key, key.slice(3, 20), key.slice(-20)]) expect(bytesIn(data)).not.toContain(part)
    await first.stop()
    expect(bytesIn(data)).not.toContain(key.slice(3, 20))

    const second = run({ TOLLGATE_DATA: data })
    const again = await second.started
    expect(again).not.toContain("tg_")
    expect(keyIn(again)).toBe("")
    expect((await rerank(addressIn(again), key)).status).toBe(200)
    const { stdout } = await bash("bash", ["-c", `${curlIn(again)} --silent`], {
      env: { ...process.env, TOLLGATE_KEY: key }
    })
    expect(JSON.parse(stdout)).toMatchObject(results)
  })
})

describe("a bootstrap key", () => {
  it.each([
    ["of the operator's own form", "my-own-key-of-some-length"],
    ["of the gateway's form", "tg_00000000000000000000000000000000s858ht0"]
  ])("%s works, is neither printed nor stored, and works on when it is no longer set", async (_, key) => {
    const data = folder()
    const first = run({ TOLLGATE_DATA: data, TOLLGATE_BOOTSTRAP_KEY: key })
    const banner = await first.started
    expect((await rerank(addressIn(banner), key)).status).toBe(200)
    expect((await rerank(addressIn(banner), `${key}x`)).status).toBe(401)
    const { stdout } = await bash("bash", ["-c", `${curlIn(banner)} --silent`], {
      env: { ...process.env, TOLLGATE_BOOTSTRAP_KEY: key }
    })
    expect(JSON.parse(stdout)).toMatchObject(results)
    const ended = await first.stop()
    expect(ended.stdout + ended.stderr).not.toContain(key)
    expect(bytesIn(data)).not.toContain(key)

    const second = await startGateway({ TOLLGATE_DATA: data })
    expect((await rerank(addressIn(second.banner), key)).status).toBe(200)
    await second.stop()
  })
})

describe("a configuration file", () => {
  it("changes names in paths and headers, and gives pending operations a path", async () => {
    const data = folder()
    const config = join(data, "config.json")
    writeFileSync(
      config,
      JSON.stringify({
        names: { provider: "Acme", reseller: "shop", social_b: "pics" },
        bindings: { "images.generate": { path: "/v1/pictures" } }
      })
    )
    const { banner, stop } = await startGateway({ TOLLGATE_DATA: join(data, "d"), TOLLGATE_CONFIG: config })
    const address = addressIn(banner)
    const authorization = `Bearer ${keyIn(banner)}`
    const statusOf = async (path: string, init: RequestInit = {}) =>
      (await fetch(address + path, { ...init, headers: { authorization } })).status
    expect(await statusOf("/apis/v1/shop/pics/v2/fetch_user_stories?username=ada")).toBe(200)
    expect(await statusOf("/apis/v1/reseller/social_b/v2/fetch_user_stories")).toBe(404)
    const image = { method: "POST", body: JSON.stringify({ model: "sandbox", prompt: "a river" }) }
    expect(await statusOf("/v1/pictures", image)).toBe(200)
    expect(await statusOf("/v1/images/generations", image)).toBe(404)
    const answer = await rerank(address, keyIn(banner), { "x-acme-cost-mode": "quote" })
    expect(await answer.json()).toMatchObject({ operation_id: "rerank" })
    expect((await rerank(address, keyIn(banner), { "x-acme-scenario": "html" })).status).toBe(502)
    await stop()
  })
})

/** Below the 30 s that a gateway waits for calls in flight, and enough for a busy machine to end a process. */
const promptly = 25_000

const endsPromptly = async (program: Program, signal: NodeJS.Signals) => {
  const from = performance.now()
  program.child.kill(signal)
  const ended = await program.ended
  expect(performance.now() - from).toBeLessThan(promptly)
  return ended
}

const refusesConnections = (address: string): Promise<boolean> =>
  fetch(address).then(
    () => false,
    () => true
  )

/** A gateway with one call in flight, which ends when the test says so. */
const withCallInFlight = async (
  use: (program: Program, address: string, call: Promise<Response>, answer: () => void) => Promise<void>,
  env: Readonly<Record<string, string>> = {}
) => {
  const upstream = await pausedUpstream()
  const config = join(folder(), "tollgate.jsonc")
  writeFileSync(config, JSON.stringify(upstream.config()))
  const program = run({ TOLLGATE_DATA: folder(), TOLLGATE_CONFIG: config, ...env })
  const banner = await program.started
  const call = askHeld(addressIn(banner), keyIn(banner))
  call.catch(() => {})
  await upstream.arrived(1)
  try {
    await use(program, addressIn(banner), call, upstream.answer)
  } finally {
    upstream.close()
  }
}

describe("the gateway ends", () => {
  it.each(["SIGINT", "SIGTERM"] as const)("%s ends an idle gateway at once, cleanly", async (signal) => {
    const data = folder()
    const program = run({ TOLLGATE_DATA: data })
    const banner = await program.started
    await (await rerank(addressIn(banner), keyIn(banner))).text()
    const ended = await endsPromptly(program, signal)
    expect([ended.code, ended.signal, ended.stderr]).toEqual([0, null, ""])
    expect(existsSync(join(data, "tollgate.db-wal"))).toBe(false)
  })

  it.each(["SIGINT", "SIGTERM"] as const)("%s lets a call in flight finish first", (signal) =>
    withCallInFlight(async (program, address, call, answer) => {
      program.child.kill(signal)
      while (!(await refusesConnections(address)));
      expect(program.child.exitCode).toBe(null)
      answer()
      expect((await call).status).toBe(200)
      expect(await (await call).json()).toMatchObject({ usage: { total_tokens: 10 } })
      const ended = await program.ended
      expect([ended.code, ended.stderr]).toEqual([0, ""])
    })
  )

  it("cuts a call in flight when the time for stopping is over, and tells its caller", () =>
    withCallInFlight(
      async (program, _, call) => {
        const ended = await endsPromptly(program, "SIGTERM")
        const answer = await call
        expect([answer.status, answer.headers.get("x-should-retry")]).toEqual([502, "false"])
        expect(answer.headers.get("x-request-id")).toMatch(/^req_/)
        expect(await answer.json()).toMatchObject({ error: { code: "upstream_failed" } })
        expect(ended.code).toBe(0)
      },
      { TOLLGATE_SHUTDOWN_SECONDS: "0" }
    ))

  it("a second signal does not wait for a call in flight", () =>
    withCallInFlight(async (program, address, call) => {
      program.child.kill("SIGINT")
      while (!(await refusesConnections(address)));
      expect(program.child.exitCode).toBe(null)
      expect((await endsPromptly(program, "SIGINT")).code).toBe(130)
      await expect(call).rejects.toBeInstanceOf(Error)
    }))

  it("after a crash the start says how many calls were cut, once, and how to get a new key", async () => {
    const upstream = await pausedUpstream()
    const config = join(folder(), "tollgate.jsonc")
    writeFileSync(config, JSON.stringify(upstream.config()))
    const env = { TOLLGATE_DATA: folder(), TOLLGATE_CONFIG: config }
    const first = run(env)
    const banner = await first.started
    expect(banner).not.toContain("cut by the last stop")
    askHeld(addressIn(banner), keyIn(banner)).catch(() => {})
    await upstream.arrived(1)
    first.child.kill("SIGKILL")
    await first.ended
    upstream.close()
    const second = run(env)
    const after = await second.started
    expect(after).toContain("1 call was cut by the last stop; its outcome is unknown (tollgate audit)")
    expect(after).toMatch(/lost the key\? tollgate keys create acct_\S+$/m)
    await second.stop()
    expect(await run(env).started).not.toContain("cut by the last stop")
  })

  it("a gateway that was killed keeps its keys", async () => {
    const data = folder()
    const first = run({ TOLLGATE_DATA: data })
    const key = keyIn(await first.started)
    first.child.kill("SIGKILL")
    await first.ended
    const second = await startGateway({ TOLLGATE_DATA: data })
    expect((await rerank(addressIn(second.banner), key)).status).toBe(200)
    await second.stop()
  })

  it("calls answered before a kill are in the usage report, before and after the next start", async () => {
    const data = folder()
    const usageTotals = async () => {
      const { code, stdout } = await tollgate({ TOLLGATE_DATA: data }, "audit", "--json")
      expect(code).toBe(0)
      const { open, totals, unknown } = JSON.parse(stdout) as Record<string, unknown>
      return { open, unknown, totals }
    }
    const totals = (calls: number, charged: number) => ({
      open: [],
      unknown: [],
      totals: expect.objectContaining({ calls, charged_micros_usd: charged, reserved_micros_usd: 0 })
    })
    const first = run({ TOLLGATE_DATA: data })
    const banner = await first.started
    let charged = 0
    const ask = async (banner: string, key: string) => {
      const { headers } = await rerank(addressIn(banner), key, {}, undefined, "river ".repeat(60))
      charged += Number(headers.get("x-tollgate-cost-micros-usd"))
    }
    for (let i = 0; i < 3; i++) await ask(banner, keyIn(banner))
    first.child.kill("SIGKILL")
    await first.ended
    expect(charged).toBeGreaterThan(0)
    expect(await usageTotals()).toEqual(totals(3, charged))
    const second = run({ TOLLGATE_DATA: data })
    await ask(await second.started, keyIn(banner))
    // While it runs, and the call is younger than a second.
    expect(await usageTotals()).toEqual(totals(4, charged))
    await ask(await second.started, keyIn(banner))
    expect(await usageTotals()).toEqual(totals(5, charged))
  })
})
