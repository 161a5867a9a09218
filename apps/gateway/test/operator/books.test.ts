import type { AuditReport } from "@tollgate/contract/admin/Audit"
import { DatabaseSync } from "node:sqlite"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { rerank } from "../program.ts"
import { operatedGateway } from "./setup.ts"

const { account, address, caller, data, post, read, send } = operatedGateway()

describe("the audit of the operator", () => {
  it("recomputes the books of the running gateway, also for several at once", async () => {
    await rerank(address(), caller().key)
    const reports = await Promise.all(Array.from({ length: 4 }, () => post<AuditReport>("/audit")))
    for (const report of reports) {
      expect(report).toMatchObject({
        correct: true,
        differences: [],
        open: 0,
        overdrafts: 0,
        totals: { accounts: 1, calls: 1, entered_micros_usd: 105_000_000 }
      })
    }
  })

  it("shows where the books contradict themselves", async () => {
    const db = new DatabaseSync(join(data, "tollgate.db"))
    db.exec("UPDATE accounts SET balance = balance + 1")
    const { correct, differences } = await post<AuditReport>("/audit")
    db.exec("UPDATE accounts SET balance = balance - 1")
    db.close()
    expect([correct, differences]).toEqual([
      false,
      [
        {
          table: "accounts",
          column: "balance",
          id: account(),
          stored: expect.stringMatching(/^\d+$/),
          expected: expect.stringMatching(/^\d+$/)
        }
      ]
    ])
    expect((await post<AuditReport>("/audit")).correct).toBe(true)
  })

  it("takes no body", async () => {
    expect((await send("POST", "/audit", { deep: true })).status).toBe(400)
    expect((await send("GET", "/audit")).status).toBe(405)
  })
})

describe("a gateway without a configuration file", () => {
  it("says so, and has nothing to check or to reload", async () => {
    expect(await read("/config")).toMatchObject({ file: null, upstreams: [], sandbox: true })
    const valid = { valid: true, problems: [], in_force: true }
    expect([await post("/config/check"), await post("/config/reload")]).toEqual([valid, valid])
  })

  it("lists the entries of an account, the newest first", async () => {
    expect(await read(`/accounts/${account()}/entries`)).toEqual({
      entries: [
        { id: "first", kind: "topup", amount_micros_usd: 100_000_000, note: "", at: expect.any(String) },
        {
          id: expect.stringMatching(/^entry_/),
          kind: "credit",
          amount_micros_usd: 5_000_000,
          note: "signup credit",
          at: expect.any(String)
        }
      ]
    })
  })
})

describe("the grants of all accounts", () => {
  it("are listed, and can be revoked", async () => {
    expect(await read("/grants")).toEqual({ grants: [] })
    const inYear = Date.now() + 365 * 86_400_000
    const db = new DatabaseSync(join(data, "tollgate.db"))
    const key =
      "INSERT INTO keys (id, account, hash, label, created_at, ends_at, is_grant) VALUES (?, ?, ?, ?, ?, ?, 1)"
    db.prepare(key).run("gr_one", account(), "grant gr_one", "", Date.now(), inYear)
    db.exec("INSERT INTO grants (id, client_id, client_name, scopes) VALUES ('gr_one', 'c', 'The Agent', 'use usage')")
    db.close()
    const grant = { id: "gr_one", account: account(), client_name: "The Agent", scopes: ["use", "usage"], ended: false }
    expect(await read("/grants")).toMatchObject({ grants: [grant] })
    for (let i = 0; i < 2; i++) expect(await post("/grants/gr_one/revoke")).toMatchObject({ ...grant, ended: true })
    expect(await read("/grants")).toMatchObject({ grants: [{ ended: true }] })
    for (const id of ["gr_none", "key_none", account()]) {
      expect((await send("POST", `/grants/${id}/revoke`)).status).toBe(404)
    }
    expect((await send("POST", "/grants/gr_one/revoke", { ended: false })).status).toBe(400)
    expect((await send("GET", "/grants/gr_one/revoke")).status).toBe(405)
  })
})

describe("the calls of an account", () => {
  it("are the operator's to read, with the story of each, in the shapes of the account's own API and with its cost", async () => {
    await rerank(address(), caller().key)
    const at = `/accounts/${account()}`
    const own = caller()
    const log = await read<{ calls: ReadonlyArray<{ id: string; operation: string }> }>(`${at}/calls?limit=1`)
    expect(log.calls).toMatchObject([{ operation: "rerank", state: "settled" }])
    expect((await own.send({ path: "/account/v1/calls?limit=1" })).json()).toMatchObject({ calls: log.calls })
    const id = log.calls[0]?.id ?? ""
    const story = await read(`${at}/calls/${id}`)
    expect(story).toMatchObject({ id, evidence: { kind: "tokens" }, tried: [{ outcome: "answered" }] })
    const { account: owner, cost_nano_usd: cost, margin_nano_usd: margin, ...shared } = story
    expect([owner, cost, margin]).toEqual([account(), null, null])
    expect(shared).toEqual((await own.send({ path: `/account/v1/calls/${id}` })).json())
    const start = Math.floor(Date.now() / 1000) - 3_600
    const usage = await read(`${at}/usage?start_time=${start}&width=1h`)
    expect(usage).toMatchObject({ scope: "account", bucket_width: "1h", by_operation: [{ id: "rerank" }] })
  })

  it("of another account are not found under this one, and a wrong query is refused", async () => {
    const at = `/accounts/${account()}`
    const { id } = await post<{ id: string }>("/accounts", { label: "other" })
    const { calls } = await read<{ calls: ReadonlyArray<{ id: string }> }>(`${at}/calls`)
    expect((await send("GET", `/accounts/${id}/calls/${calls[0]?.id}`)).status).toBe(404)
    expect(await read(`/accounts/${id}/calls`)).toEqual({ calls: [], looked_back_to: null, next: null })
    for (const path of ["/usage?start_time=1", "/calls", "/calls/req_1", "/entries"]) {
      expect((await send("GET", `/accounts/acct_none${path}`)).status, path).toBe(404)
    }
    for (const query of [
      "/usage",
      "/usage?start_time=x",
      "/usage?width=1m&start_time=1",
      "/calls?limit=0",
      "/calls?limti=1",
      "/calls?key=%E0%A4%A",
      "/calls?status=9xx"
    ]) {
      expect((await send("GET", at + query)).status, query).toBe(400)
    }
    expect((await send("GET", `${at}/calls/req_none`)).status).toBe(404)
    expect((await send("POST", `${at}/calls`)).status).toBe(405)
  })
})
