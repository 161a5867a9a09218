import { describe, expect, it } from "@effect/vitest"
import type { Operation } from "@tollgate/contract/Operation"
import { BillingLog, client, Sandbox } from "@tollgate/sandbox"
import { Host, key, TestGateway } from "@tollgate/testing"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { ask } from "@tollgate/testing/ask"
import { calls, priced } from "@tollgate/testing/models"
import { redirectUri } from "@tollgate/testing/link/app"

const layer = Layer.merge(
  BillingLog.layerMemory(),
  Host.layerInProcess.pipe(Layer.provideMerge(TestGateway.layer({ operations: priced, sandbox: "all" })))
)
const bearer = { authorization: `Bearer ${key}` }
const inPath = (url: string): string => url.replace("http://gateway.invalid", "")

const followAs = (credential: string) =>
  ask("POST", "/apis/v1/social_a/follow_social_a", { authorization: `Bearer ${credential}` }, "{}")

describe("a write for a linked user", () => {
  it.live("is refused before anything is reserved, and works once the user has approved", () =>
    Effect.gen(function* () {
      expect((yield* followAs(key)).status).toBe(403)
      expect(yield* calls).toEqual([])

      const link = (yield* ask("POST", "/apis/v1/social_a/auth_social_a", bearer)).json() as { auth_url: string }
      const browser = client(yield* Sandbox.make({ redirectUri }))
      const approved = yield* browser.get(`http://sandbox.invalid${inPath(link.auth_url)}&decision=approve`)
      const back = yield* ask("GET", inPath(approved.headers["location"] ?? ""))
      expect([back.status, back.text]).toEqual([200, expect.stringContaining("close this window")])

      const followed = yield* followAs(key)
      expect([followed.status, followed.headers["x-tollgate-cost-micros-usd"]]).toEqual([200, "10000"])
      const { accounts } = yield* TestGateway
      const { value } = yield* accounts.createKey((yield* accounts.create("another")).id, { label: "" })
      expect((yield* followAs(Redacted.value(value))).status).toBe(403)
      // A second use of the return address does nothing.
      expect((yield* ask("GET", inPath(approved.headers["location"] ?? ""))).status).toBe(400)
    }).pipe(Effect.provide(layer))
  )
})

describe("an operation that the operator makes free", () => {
  const free: ReadonlyArray<Operation> = priced.map((operation) => ({ ...operation, price: { contract: "free" } }))
  const gateway = Host.layerInProcess.pipe(Layer.provideMerge(TestGateway.layer({ operations: free, sandbox: "all" })))

  it.live("still needs a linked user, and is still recorded", () =>
    Effect.gen(function* () {
      expect((yield* followAs(key)).status).toBe(403)
      const created = yield* ask(
        "POST",
        "/apis/v1/services/aigc/video-generation/video-synthesis",
        { ...bearer, "x-tollgate-async": "enable" },
        JSON.stringify({ model: "sandbox-video", input: { prompt: "a boat [task 1s]" } })
      )
      const { task_id } = (created.json() as { output: { task_id: string } }).output
      const polled = yield* ask("GET", `/apis/v1/services/aigc/tasks/${task_id}`, bearer)
      expect([created.status, task_id]).toEqual([200, expect.stringMatching(/^task_/)])
      expect(polled.text).not.toContain("UNKNOWN")
    }).pipe(Effect.provide(gateway))
  )
})

describe("a reseller's answer", () => {
  it.live("is cached at its cache_url, for its own account and at no charge", () =>
    Effect.gen(function* () {
      const path = "/apis/v1/reseller/social_c/web/fetch_tag_detail?tag_name=river"
      const replaying = { ...bearer, "idempotency-key": "k", "x-tollgate-idempotency-mode": "replay" }
      const answer = yield* ask("GET", path, replaying)
      const { cache_url } = answer.json() as { cache_url: string }
      const kept = yield* ask("GET", inPath(cache_url), bearer)
      expect([kept.status, kept.text, kept.headers["x-tollgate-cost-state"]]).toEqual([200, answer.text, "none"])
      expect((yield* ask("GET", path, replaying)).text).toBe(answer.text)
      // The replay is a call that costs nothing; the read of the cache is none.
      const states = (yield* calls).map(({ charged, state }) => [state, charged])
      expect(states).toEqual([
        ["settled", 1_450],
        ["replayed", 0]
      ])

      const { accounts } = yield* TestGateway
      const { value } = yield* accounts.createKey((yield* accounts.create("another")).id, { label: "" })
      const other = yield* ask("GET", inPath(cache_url), { authorization: `Bearer ${Redacted.value(value)}` })
      const never = yield* ask(
        "GET",
        inPath(cache_url).replace(/.$/, (last) => (last === "0" ? "1" : "0")),
        bearer
      )
      expect([other.status, never.status]).toEqual([404, 404])
    }).pipe(Effect.provide(layer))
  )
})
