import { expect, it } from "@effect/vitest"
import { usd } from "@tollgate/contract/Money"
import { operations } from "@tollgate/contract/operations"
import { client, Sandbox, Books } from "@tollgate/sandbox"
import { Host, key, TestGateway } from "@tollgate/testing"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { ask } from "./ask.ts"
const bearer = { authorization: `Bearer ${key}` }
const priced = operations.map((o) => o.id === "{social_a}.follow" ? { ...o, price: { contract: "per_request" as const, amount: usd("0.01") } } : o)
it.live("all of it", () => Effect.gen(function* () {
  const { account, accounts, sql } = yield* TestGateway
  yield* accounts.topUp(account, 1_000_000n as never, "t")
  const before = yield* accounts.get(account)
  const no = yield* ask("POST", "/apis/v1/social_a/follow_social_a", bearer, "{}")
  expect(no.status).toBe(403)
  expect(yield* sql`SELECT * FROM calls`).toEqual([])
  expect((yield* accounts.get(account)).balance).toBe(before.balance)
  const s = (yield* ask("POST", "/apis/v1/social_a/auth_social_a", bearer, "{}")).json() as { auth_url: string }
  const sandbox = yield* Effect.map(Sandbox.make(), client)
  const loc = (yield* sandbox.get(s.auth_url + "&decision=approve")).headers["location"] ?? ""
  const cb = yield* ask("GET", loc.replace("http://gateway.invalid", ""))
  expect([cb.status, cb.text]).toEqual([200, expect.stringContaining("close this window")])
  const yes = yield* ask("POST", "/apis/v1/social_a/follow_social_a", bearer, "{}")
  expect([yes.status, yes.headers["x-tollgate-cost-micros-usd"]]).toEqual([200, "10000"])
  const idem = { ...bearer, "idempotency-key": "k", "x-tollgate-idempotency-mode": "replay" }
  const t = yield* ask("GET", "/apis/v1/reseller/social_c/web/fetch_tag_detail?tag_name=x", idem)
  const u = (t.json() as { cache_url: string }).cache_url
  expect(u).toMatch(/8787.*cache/)
  const c = yield* ask("GET", u.replace("http://127.0.0.1:8787", ""), bearer)
  expect([c.status, c.text, c.headers["x-tollgate-cost-state"]]).toEqual([200, t.text, "none"])
  const again = yield* ask("GET", "/apis/v1/reseller/social_c/web/fetch_tag_detail?tag_name=x", idem)
  expect(again.text).toBe(t.text)
  console.log((yield* ask("GET", "/v1/models", bearer)).text, (yield* ask("GET", "/api/sales-api-data")).text)
}).pipe(Effect.provide(Layer.mergeAll(Books.layerMemory(), Host.layerInProcess.pipe(Layer.provideMerge(TestGateway.layer({ operations: priced, sandbox: "all" })))))))
