import { describe, expect, it } from "@effect/vitest"
import { rerank } from "@tollgate/client"
import { verifyContract } from "@tollgate/client/contract"
import { link, withLink } from "@tollgate/client/link"
import { metrics, observe, type Observer, spans } from "@tollgate/client/observe"
import { clientOf } from "@tollgate/client/promises/createClient"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { vi } from "vitest"
import { answer, refusal } from "./attempts.ts"
import { authUrl, gateway } from "./linkScripted.ts"
import { tracer } from "./observeTracer.ts"
import { question, ranking, scripted } from "./scripted.ts"

describe("a linked account", () => {
  it("is linked with plain functions, and its address is shown to the user", async () => {
    const server = gateway()
    const client = clientOf(server.layer)
    const shown: Array<string> = []
    const session = await link(client, {
      open: ({ auth_url }) => shown.push(auth_url),
      confirm: async () => {
        server.it.approved = true
      }
    })
    expect(shown).toEqual([authUrl()])
    expect(session).toMatchObject({ auth_url: authUrl() })
    await client.close()
  })

  it("is linked when a write needs it", async () => {
    const server = gateway()
    const client = clientOf(server.layer)
    const linked = withLink(client, {
      open: () => {},
      confirm: () => {
        server.it.approved = true
      }
    })
    expect(await linked.follow({ target_user_id: "12" }, { idempotencyKey: "follow 12" })).toEqual({ following: true })
    expect(new Set(server.sent.map(({ request }) => request.headers["idempotency-key"]))).toContain("follow 12")
    expect(withLink(client.withBudget("1.00"), { open: () => {} })).toHaveProperty("follow")
    await client.close()
  })

  it("rejects with what the program's own function throws", async () => {
    const client = clientOf(gateway().layer)
    const closed = new Error("the user closed the window")
    const confirm = () => Promise.reject(closed)
    await expect(link(client, { open: () => {}, confirm })).rejects.toBe(closed)
    await expect(withLink(client, { open: () => {}, confirm }).follow({ target_user_id: "1" })).rejects.toBe(closed)
    await client.close()
  })
})

describe("the contract", () => {
  const other = answer(200, { contentHash: "h", docsRevision: "another" })

  it("is verified: a difference rejects, or is a warning on the console", async () => {
    const client = clientOf(scripted(other).layer)
    await expect(verifyContract(client, { onMismatch: "fail" })).rejects.toMatchObject({ _tag: "ContractMismatch" })
    const warn = vi.spyOn(console, "warn").mockImplementation(() => {})
    expect(await verifyContract(client, { onMismatch: "warn" })).toBe("mismatch")
    expect(warn.mock.calls).toEqual([[expect.stringContaining("The server's contract differs")]])
    warn.mockRestore()
    await client.close()
  })
})

describe("observers as an option", () => {
  const charged = answer(200, ranking, { "x-tollgate-cost-micros-usd": "40", "x-tollgate-cost-state": "settled" })

  it("are plain functions that learn of every call, its attempts and its cost", async () => {
    const told: Array<unknown> = []
    const observer: Observer = ({ operation }) => ({
      headers: { "x-trace": "t" },
      attempted: (number, failed) => void told.push([operation, number, failed?.type]),
      ended: async ({ charge, result }) => void told.push([operation, result, charge.micros])
    })
    const { layer, sent } = scripted(charged, { observe: observe(observer) })
    const client = clientOf(layer)
    await client.rerank(question)
    expect(told).toEqual([
      ["rerank", 1, undefined],
      ["rerank", "success", 40]
    ])
    expect(sent[0]?.request.headers["x-trace"]).toBe("t")
    await client.close()
  })

  it("that throw, reject or return nothing do not affect the call", async () => {
    const thrown = () => {
      throw new Error("mine")
    }
    const observers: ReadonlyArray<Observer> = [
      thrown,
      () => {},
      () => ({ attempted: thrown, ended: thrown }),
      () => ({ ended: () => Promise.reject(new Error("mine")) })
    ]
    const client = clientOf(scripted(charged, { observe: observe(...observers) }).layer)
    expect(await client.rerank(question)).toEqual(ranking)
    await client.close()
  })

  it("make spans on the tracer that comes with them, and metrics", async () => {
    const { layer: tracing, made } = tracer()
    const observing = Layer.merge(observe(spans, metrics), tracing)
    const client = clientOf(scripted(refusal(402, "over_cap"), { observe: observing }).layer)
    await expect(client.rerank(question)).rejects.toMatchObject({ _tag: "OverBudget" })
    expect(made.map(({ name }) => name)).toEqual(["rerank"])
    await client.close()
  })

  it.effect("work with Effect too", () =>
    Effect.gen(function* () {
      const told: Array<string> = []
      const { layer } = scripted(charged, {
        observe: observe(() => ({ ended: ({ operation }) => Effect.sync(() => told.push(operation)) }))
      })
      yield* Effect.provide(rerank(question), layer)
      expect(told).toEqual(["rerank"])
    })
  )
})
