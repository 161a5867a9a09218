import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { afterAll, afterEach, describe, expect, it } from "vitest"
import { addressIn, folder, keyIn, type Program, removeFolders, rerank, start } from "./program.ts"
import { askHeld, pausedUpstream } from "./pausedUpstream.ts"

const running: Array<Program> = []
afterEach(() => Promise.all(running.splice(0).map((program) => program.stop())))
afterAll(removeFolders)

const priced = (amount: string, rest: object = {}) =>
  JSON.stringify({
    prices: { operations: { rerank: { contract: "per_request", amount } } },
    ...rest
  })

const gateway = async (config: string) => {
  const file = join(folder(), "tollgate.jsonc")
  writeFileSync(file, config)
  const program = start({ TOLLGATE_DATA: folder(), TOLLGATE_CONFIG: file })
  running.push(program)
  const banner = await program.started
  let [stdout, stderr] = ["", ""]
  program.child.stdout?.on("data", (text: string) => (stdout += text))
  program.child.stderr?.on("data", (text: string) => (stderr += text))
  const told = async (text: string) => {
    const found = () => stdout + stderr
    await expect.poll(found).toContain(text)
    const all = found()
    stdout = stderr = ""
    return all
  }
  return {
    program,
    ask: () => askHeld(addressIn(banner), keyIn(banner)),
    rerank: (headers: Record<string, string> = {}) => rerank(addressIn(banner), keyIn(banner), headers),
    get: (path: string) => fetch(addressIn(banner) + path, { headers: { authorization: `Bearer ${keyIn(banner)}` } }),
    chat: () =>
      fetch(`${addressIn(banner)}/v1/chat/completions`, {
        method: "POST",
        headers: { authorization: `Bearer ${keyIn(banner)}` },
        body: JSON.stringify({ model: "sandbox", max_tokens: 5, messages: [{ role: "user", content: "Why?" }] })
      }),
    /** Replaces the file, and waits until the program prints this. */
    reload: (config: string, expected: string) => {
      writeFileSync(file, config)
      program.child.kill("SIGHUP")
      return told(expected)
    }
  }
}

const costOf = async (answer: Promise<Response> | Response): Promise<ReadonlyArray<unknown>> => {
  const { headers, status } = await answer
  return [status, headers.get("x-tollgate-cost-micros-usd")]
}

const done = "configuration reloaded"
const unchanged = "configuration not changed"

describe("SIGHUP reads the configuration again", () => {
  it("new calls have the new prices, calls in flight keep the old", async () => {
    const upstream = await pausedUpstream()
    const at = (usdPerMillion: string) => JSON.stringify(upstream.config(usdPerMillion))
    const { ask, reload } = await gateway(at("1000"))
    const inFlight = Array.from({ length: 4 }, ask)
    await upstream.arrived(4)
    await reload(at("2000"), done)
    const later = ask()
    await upstream.arrived(5)
    upstream.answer()
    expect(await costOf(later)).toEqual([200, "20000"])
    for (const answer of inFlight) expect(await costOf(answer)).toEqual([200, "10000"])
    upstream.close()
  })

  it("an invalid file changes nothing, and every error is printed", async () => {
    const { program, reload, rerank } = await gateway(priced("0.01"))
    for (const [bad, problem] of [
      ["{", "tollgate.jsonc:1:"],
      [priced("0.02", { naems: {}, signupCredit: 5 }), "naems"],
      [
        priced("0.02", { bindings: { "images.generate": { path: "/v1/rerank" } } }),
        "rerank and images.generate are both at POST /v1/rerank"
      ]
    ] as const) {
      const said = await reload(bad, unchanged)
      expect(said).toContain(problem)
      expect(said).not.toContain(done)
      expect(await costOf(rerank())).toEqual([200, "10000"])
    }
    await reload(priced("0.03"), done)
    expect(await costOf(rerank())).toEqual([200, "30000"])
    expect((await program.stop()).code).toBe(0)
  })

  it("changes names, bindings, replays and the OpenAPI document; limits count on", async () => {
    const limits = { upstreamRpm: 1 }
    const { chat, get, reload, rerank } = await gateway(priced("0.01", { limits }))
    const before = await get("/api/contracts/version")
    expect((await chat()).status).toBe(200)
    await reload(
      priced("0.01", {
        names: { social_b: "pics" },
        bindings: { "images.generate": { path: "/v1/pictures" } },
        replayByDefault: true,
        limits
      }),
      done
    )
    expect((await chat()).status).toBe(429)
    expect((await get("/apis/v1/reseller/pics/v2/fetch_user_stories")).status).toBe(200)
    expect((await get("/apis/v1/reseller/social_b/v2/fetch_user_stories")).status).toBe(404)
    expect((await get("/v1/pictures")).status).toBe(405)
    const again = { "idempotency-key": "one" }
    expect((await rerank(again)).status).toBe(200)
    const replayed = await rerank(again)
    expect([replayed.status, replayed.headers.get("idempotent-replayed")]).toEqual([200, "true"])
    expect(await (await get("/api/contracts/version")).text()).not.toBe(await before.text())
  })
})
