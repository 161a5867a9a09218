import { emptyDatabase, alsoOnPostgres } from "@tollgate/testing/store/postgres"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { writeFileSync } from "node:fs"
import { connect } from "node:net"
import { join } from "node:path"
import { afterAll, afterEach, describe, expect, it } from "vitest"
import { addressIn, folder, keyIn, removeFolders, rerank } from "./program.ts"
import { type Gateway, startGateway } from "./tollgate.ts"

const token = "a-metrics-token-of-the-test"
const adminToken = "an-admin-token-of-the-test"
const bearer = (text: string) => ({ headers: { authorization: `Bearer ${text}` } })

const running: Array<Gateway> = []
afterEach(() => Promise.all(running.splice(0).map(({ stop }) => stop())))
afterAll(removeFolders)

const started = async (env: Readonly<Record<string, string>>) => {
  const gateway = await startGateway({ TOLLGATE_DATA: folder(), ...env })
  running.push(gateway)
  const { banner } = gateway
  return { address: addressIn(banner), key: keyIn(banner), metrics: /metrics {2}(http:\S+)/.exec(banner)?.[1] ?? "" }
}

const textAt = async (url: string, init?: RequestInit): Promise<string> => (await fetch(url, init)).text()

/** The value of the first series whose line begins like this. */
const valueOf = (text: string, series: string): number =>
  Number(
    text
      .split("\n")
      .find((line) => line.startsWith(series))
      ?.split(" ")
      .at(-1)
  )

const firstRequests = 'tollgate_requests_total{via="http",kind="call",operation="rerank"'

describe("the metrics of the program", () => {
  it("are not served unless the operator says where", async () => {
    const { address, key, metrics } = await started({})
    expect(metrics).toBe("")
    const unknown = await fetch(`${address}/nothing`, bearer(key))
    const answer = await fetch(`${address}/metrics`, bearer(key))
    expect([answer.status, unknown.status]).toEqual([404, 404])
    expect(await answer.json()).toMatchObject({ error: { code: "route_not_found" } })
  })

  it("are at a port of their own, and count what was called", async () => {
    const { address, key, metrics } = await started({ TOLLGATE_METRICS_PORT: "0" })
    for (let i = 0; i < 3; i++) expect((await rerank(address, key)).status).toBe(200)
    await rerank(address, "wrong")
    const answer = await fetch(metrics)
    const text = await answer.text()
    expect(answer.headers.get("content-type")).toBe("text/plain; version=0.0.4; charset=utf-8")
    expect(valueOf(text, `${firstRequests},model="none",upstream="sandbox",status="2xx"`)).toBe(3)
    expect(valueOf(text, 'tollgate_failures_total{operation="rerank"')).toBe(1)
    expect(valueOf(text, "tollgate_store_up")).toBe(1)
    expect(valueOf(text, "tollgate_ledger_group_size_count")).toBeGreaterThanOrEqual(6)
    expect(text).not.toContain(key)

    const head = await fetch(metrics, { method: "HEAD" })
    expect([head.status, await head.text()]).toEqual([200, ""])
    expect((await fetch(metrics, { method: "POST" })).status).toBe(405)
    expect((await fetch(new URL("/other", metrics))).status).toBe(404)
    expect((await fetch(`${address}/metrics`, bearer(key))).status).toBe(404)
  })

  it("are at the gateway's port for who has the token", async () => {
    const { address, key } = await started({ TOLLGATE_METRICS_TOKEN: token })
    await rerank(address, key)
    const url = `${address}/metrics`
    const answer = await fetch(`${url}?x=1`, bearer(token))
    expect(valueOf(await answer.text(), firstRequests)).toBe(1)
    for (const wrong of [{}, bearer(`${token}x`), bearer(key), { headers: { authorization: token } }]) {
      const refused = await fetch(url, wrong)
      expect([refused.status, refused.headers.get("www-authenticate")]).toEqual([401, "Bearer"])
      expect(await refused.text()).not.toContain("tollgate_")
    }
    const guesses = await Promise.all(
      Array.from({ length: 20 }, (_, i) => fetch(url, bearer(`guess-of-the-token-${i}`)))
    )
    expect(guesses.map(({ status }) => status)).toContain(429)
    expect((await fetch(url, bearer(token))).status).toBe(200)
  })

  it("need the token at their own port if there are both", async () => {
    const { address, metrics } = await started({ TOLLGATE_METRICS_PORT: "0", TOLLGATE_METRICS_TOKEN: token })
    expect((await fetch(metrics)).status).toBe(401)
    expect((await fetch(metrics, bearer(token))).status).toBe(200)
    expect(await textAt(`${address}/metrics`, bearer(token))).not.toContain("tollgate_")
  })

  it("are answered to many at once, and beside one who does not read", async () => {
    const { metrics } = await started({ TOLLGATE_METRICS_PORT: "0" })
    const { hostname, port } = new URL(metrics)
    const silent = connect({ host: hostname, port: Number(port) })
    silent.pause()
    silent.write("GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n".repeat(20))
    const texts = await Promise.all(Array.from({ length: 40 }, () => textAt(metrics)))
    expect(texts.every((text) => text.includes("tollgate_build_info"))).toBe(true)
    silent.destroy()
  })

  it("are served while the configuration is reloaded, and count by the models of the new one", async () => {
    const file = join(folder(), "tollgate.jsonc")
    const write = (model: string) =>
      writeFileSync(
        file,
        JSON.stringify({ sandbox: true, prices: { models: { [model]: { input: "1", output: "1" } } } })
      )
    write("before")
    const { address, key, metrics } = await started({
      TOLLGATE_METRICS_PORT: "0",
      TOLLGATE_CONFIG: file,
      TOLLGATE_ADMIN_TOKEN: adminToken
    })
    const chat = (model: string) =>
      fetch(`${address}/v1/chat/completions`, {
        method: "POST",
        headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
        body: JSON.stringify({ model, max_tokens: 5, messages: [{ role: "user", content: "hi" }] })
      })
    await chat("after")
    write("after")
    const reload = fetch(`${address}/admin/v1/config/reload`, { method: "POST", ...bearer(adminToken) })
    const texts = await Promise.all(Array.from({ length: 10 }, () => textAt(metrics)))
    expect((await reload).status).toBe(200)
    expect(texts.every((text) => text.includes('model="other"') && !text.includes('model="after"'))).toBe(true)
    await chat("after")
    expect(await textAt(metrics)).toContain('operation="chat.completions",model="after"')
  })

  it("count spans and log lines that were dropped", async () => {
    const { address, key, metrics } = await started({
      TOLLGATE_METRICS_PORT: "0",
      OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:9",
      OTEL_BSP_SCHEDULE_DELAY: "600000",
      OTEL_BSP_MAX_QUEUE_SIZE: "1"
    })
    const dropped = async (kind: string) =>
      valueOf(await textAt(metrics), `tollgate_telemetry_dropped_total{kind="${kind}"}`)
    expect(await dropped("span")).toBe(0)
    await rerank(address, key)
    await expect.poll(() => dropped("span")).toBeGreaterThan(0)
    expect(await dropped("log_line")).toBe(0)
  })

  it.skipIf(!alsoOnPostgres)("show the connections to PostgreSQL", () =>
    Effect.gen(function* () {
      const database = Redacted.value(yield* emptyDatabase)
      yield* Effect.promise(async () => {
        const { address, key, metrics } = await started({ TOLLGATE_METRICS_PORT: "0", TOLLGATE_STORE: database })
        await rerank(address, key)
        const text = await textAt(metrics)
        expect(valueOf(text, "tollgate_store_up")).toBe(1)
        expect(valueOf(text, "tollgate_store_connections_limit")).toBe(10)
        expect(valueOf(text, 'tollgate_store_connections{state="idle"}')).toBeGreaterThan(0)
        expect(valueOf(text, 'tollgate_calls_suspended{state="running"}')).toBe(0)
        expect(valueOf(text, 'tollgate_reserved_micro_usd{state="open"}')).toBe(0)
        await Promise.all(running.splice(0).map(({ stop }) => stop()))
      })
    }).pipe(Effect.scoped, Effect.runPromise)
  )
})
