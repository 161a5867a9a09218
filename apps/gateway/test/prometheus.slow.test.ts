import { freePort } from "@tollgate-tooling/programs/server.ts"
import { execFileSync, spawn, type ChildProcess } from "node:child_process"
import { once } from "node:events"
import { cpSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest"
import { addressIn, folder, keyIn, removeFolders, rerank } from "./program.ts"
import { type Gateway, startGateway } from "./tollgate.ts"

const deploy = join(import.meta.dirname, "../deploy")
const rules = join(deploy, "prometheus")

interface Dashboard {
  readonly schemaVersion: number
  readonly templating: { readonly list: ReadonlyArray<{ readonly type: string; readonly name: string }> }
  readonly panels: ReadonlyArray<{
    readonly id: number
    readonly type: string
    readonly datasource?: { readonly uid: string }
    readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number }
    readonly targets?: ReadonlyArray<{ readonly expr: string }>
  }>
}

const dashboard = JSON.parse(readFileSync(join(deploy, "grafana/tollgate.json"), "utf8")) as Dashboard
/** Grafana fills these in. */
const filled = (expr: string): string =>
  expr.replaceAll("$__rate_interval", "5m").replaceAll(/\$(?:job|instance)/g, ".*")
const panelQueries = dashboard.panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => filled(expr)))

const promtool = (...words: ReadonlyArray<string>): string => execFileSync("promtool", words, { encoding: "utf8" })

describe("the dashboard", () => {
  it("has panels with different ids that do not overlap, all of the chosen data source", () => {
    const { panels, schemaVersion, templating } = dashboard
    expect(schemaVersion).toBeGreaterThanOrEqual(37)
    expect(templating.list.map(({ name, type }) => [name, type])).toContainEqual(["datasource", "datasource"])
    expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length)
    const cells = panels.flatMap(({ gridPos: { h, w, x, y } }) =>
      Array.from({ length: w * h }, (_, i) => `${x + (i % w)} ${y + Math.floor(i / w)}`)
    )
    expect(new Set(cells).size).toBe(cells.length)
    for (const { datasource, type } of panels) if (type !== "row") expect(datasource?.uid).toBe("${datasource}")
  })
})

describe.skipIf(!inject("prometheus"))("the files for Prometheus", () => {
  it("are valid, and the alerts fire when they should", () => {
    expect(promtool("check", "config", join(rules, "prometheus.yml"))).toContain("SUCCESS")
    expect(promtool("check", "rules", join(rules, "alerts.yml"))).toContain("SUCCESS")
    expect(promtool("test", "rules", join(rules, "alerts.tests.yml"))).toContain("SUCCESS")
  })
})

describe.skipIf(!inject("prometheus"))("Prometheus", () => {
  let gateway: Gateway
  let child: ChildProcess
  let api = ""
  let metrics = ""

  interface Found {
    readonly status: string
    readonly error?: string
    readonly data: {
      readonly result: ReadonlyArray<{ readonly value: readonly [number, string] }>
      readonly groups: ReadonlyArray<{
        readonly rules: ReadonlyArray<{
          readonly name: string
          readonly query: string
          readonly health: string
          readonly duration: number
          readonly labels: Readonly<Record<string, string>>
          readonly annotations: Readonly<Record<string, string>>
        }>
      }>
    }
  }
  const ask = async (path: string): Promise<Found> => (await fetch(`${api}/api/v1/${path}`)).json() as Promise<Found>
  const query = (text: string) => ask(`query?query=${encodeURIComponent(text)}`)
  const valueOf = async (text: string): Promise<number> => Number((await query(text)).data.result[0]?.value[1])
  /** Polls until the query has the value. The test's own deadline bounds it. */
  const until = async (text: string, value: number): Promise<void> => {
    while ((await valueOf(text)) !== value) await new Promise((resolve) => setTimeout(resolve, 50))
  }

  beforeAll(async () => {
    gateway = await startGateway({ TOLLGATE_DATA: folder(), TOLLGATE_METRICS_PORT: "0" })
    metrics = /metrics {2}(http:\S+)/.exec(gateway.banner)?.[1] ?? ""
    const place = folder()
    cpSync(rules, place, { recursive: true })
    const config = readFileSync(join(rules, "prometheus.yml"), "utf8")
      .replace("127.0.0.1:9464", new URL(metrics).host)
      .replaceAll("15s", "1s")
    writeFileSync(join(place, "prometheus.yml"), config)
    const port = await freePort()
    api = `http://127.0.0.1:${port}`
    child = spawn(
      "prometheus",
      ["--config.file=prometheus.yml", `--storage.tsdb.path=${place}/data`, `--web.listen-address=127.0.0.1:${port}`],
      { cwd: place, stdio: "ignore" }
    )
    const isReady = () =>
      fetch(`${api}/-/ready`).then(
        ({ ok }) => ok,
        () => false
      )
    while (!(await isReady())) await new Promise((resolve) => setTimeout(resolve, 50))
  })
  afterAll(async () => {
    const ended = once(child, "close")
    child.kill("SIGKILL")
    await Promise.all([ended, gateway.stop()])
    removeFolders()
  })

  it("accepts the text of the metrics", async () => {
    const text = await (await fetch(metrics)).text()
    expect(execFileSync("promtool", ["check", "metrics"], { input: text, encoding: "utf8" })).toBe("")
  })

  it("reads the values that the calls had", async () => {
    const address = addressIn(gateway.banner)
    const key = keyIn(gateway.banner)
    const river = "a long river ".repeat(10_000)
    let charged = 0
    for (let i = 0; i < 4; i++) {
      const answer = await rerank(address, key, {}, undefined, river)
      charged += Number(answer.headers.get("x-tollgate-cost-micros-usd"))
    }
    await rerank(address, "wrong")
    expect(charged).toBeGreaterThan(0)
    await until('up{job="tollgate"}', 1)
    await until('sum(tollgate_requests_total{operation="rerank",status="2xx"})', 4)
    expect(await valueOf("sum(tollgate_charge_micro_usd_total)")).toBe(charged)
    expect(await valueOf('sum(tollgate_failures_total{code="invalid_credential"})')).toBe(1)
    expect(await valueOf('tollgate_request_duration_seconds_count{operation="rerank",upstream="sandbox"}')).toBe(4)
    expect(await valueOf("tollgate_store_up")).toBe(1)
  })

  it("evaluates every query of the dashboard and of the alerts, over metrics that there are", async () => {
    const { groups } = (await ask("rules")).data
    const alerts = groups.flatMap(({ rules }) => rules)
    expect(alerts.length).toBeGreaterThanOrEqual(8)
    for (const { annotations, duration, labels, name } of alerts) {
      expect([name, duration > 0, labels["severity"]]).toEqual([
        name,
        true,
        expect.stringMatching(/^(critical|warning|info)$/)
      ])
      expect(annotations["summary"]?.length).toBeGreaterThan(40)
    }
    const text = await (await fetch(metrics)).text()
    const ofPostgres = ["tollgate_store_connections", "tollgate_store_connections_limit", "tollgate_store_queue_length"]
    const ofWorkers = ["tollgate_workers_failed_total"]
    const ofThisOne = [...text.matchAll(/^# TYPE (\S+) /gm)].map((match) => match[1] ?? "")
    const exported = new Set([...ofThisOne, ...ofPostgres, ...ofWorkers])
    for (const expr of [...panelQueries, ...alerts.map(({ query }) => query)]) {
      const { error, status } = await query(expr)
      expect([expr, status, error]).toEqual([expr, "success", undefined])
      const names = [...expr.matchAll(/\btollgate_\w+/g)].map(([name]) => name.replace(/_(bucket|sum|count)$/, ""))
      expect(names.filter((name) => !exported.has(name))).toEqual([])
    }
  })
})
