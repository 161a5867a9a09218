import { expect, it, layer } from "@effect/vitest"
import { micro } from "@tollgate/contract/Money"
import { providerAt } from "@tollgate/testing/hostile/Served"
import { codeOf, connected, decide, linkIn, signedIn } from "@tollgate/testing/oauth/approving"
import { OAuthGateway } from "@tollgate/testing/oauth/OAuthGateway"
import { httpUpstream } from "@tollgate/testing/upstream"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"

const allowed = (link: string) => Effect.promise(async () => decide(await signedIn(link), link, "yes"))

layer(OAuthGateway.layer(), { excludeTestServices: true, timeout: "60 seconds" })(
  "an agent that was allowed one call",
  (it) => {
    it.effect("makes one, though it sends it under many idempotency keys at once", () =>
      Effect.gen(function* () {
        const { ask, calls } = yield* connected
        yield* allowed(linkIn((yield* ask("many keys")).text))
        const all = yield* Effect.all(
          Array.from({ length: 50 }, (_, i) => ask("many keys", { "idempotency-key": `key ${i}` })),
          { concurrency: "unbounded" }
        )
        expect(all.filter(({ status }) => status === 200)).toHaveLength(1)
        expect(yield* calls).toBe(1)
      })
    )

    it.effect("cannot use the yes for another path, another query, or in another encoding of the same request", () =>
      Effect.gen(function* () {
        const { ask, baseUrl, calls, tokens } = yield* connected
        const body = JSON.stringify({ query: "exact", documents: ["river mountain sea shore ".repeat(50)], top_n: 1 })
        yield* allowed(linkIn((yield* ask("exact")).text))
        const send = (path: string, text: string) =>
          Effect.promise(async () => {
            const headers = { authorization: `Bearer ${tokens.access_token}`, "content-type": "application/json" }
            return (await fetch(`${baseUrl}${path}`, { method: "POST", headers, body: text })).status
          })
        for (const [path, text] of [
          ["/v1/rerank?more=1", body],
          ["/v1/rerank", `${body} `],
          ["/v1/rerank", body.replace('"exact"', '"\\u0065xact"')],
          ["/v1/rerank", body.replace('"top_n":1', '"top_n":1.0')],
          ["/v1/embeddings", body]
        ] as const) {
          expect(yield* send(path, text), `${path} ${text.slice(0, 40)}`).not.toBe(200)
        }
        expect(yield* calls).toBe(0)
        expect(yield* send("/v1/rerank", body)).toBe(200)
        expect(yield* calls).toBe(1)
      })
    )

    it.effect("cannot use it after access was taken back and given again", () =>
      Effect.gen(function* () {
        const { account, ask, baseUrl, client, grants, id } = yield* connected
        yield* allowed(linkIn((yield* ask("again")).text))
        yield* grants.revoke(id)
        const tokens = yield* Effect.promise(() => client.signIn())
        const renewed = (yield* grants.list(account)).find(({ ended }) => !ended)
        expect(renewed?.id).not.toBe(id)
        yield* grants.change(renewed?.id ?? "", { askAbove: micro(1n) })
        const answer = yield* Effect.promise(async () => {
          const headers = { authorization: `Bearer ${tokens.access_token}`, "content-type": "application/json" }
          const body = JSON.stringify({ query: "again", documents: ["river mountain sea shore ".repeat(50)], top_n: 1 })
          return (await fetch(`${baseUrl}/v1/rerank`, { method: "POST", headers, body })).text()
        })
        expect(codeOf(answer)).toBe("approval_required")
        yield* grants.revoke(renewed?.id ?? "")
      })
    )

    it.effect("cannot have the page decide by a link that somebody opens", () =>
      Effect.gen(function* () {
        const { ask, calls } = yield* connected
        const link = linkIn((yield* ask("opened")).text)
        yield* Effect.promise(async () => {
          const browser = await signedIn(link)
          for (const address of [`${link}?decision=yes`, `${link}?decision=yes&token=x`, `${link}/yes`]) {
            await (await browser.fetch(address)).text()
            await browser.fetch(address, { method: "HEAD" })
            await browser.fetch(address, { method: "PUT", body: new URLSearchParams({ decision: "yes" }) })
          }
          expect(await (await browser.fetch(link)).text()).toContain("Approve this call")
        })
        expect((yield* ask("opened")).status).toBe(403)
        expect(yield* calls).toBe(0)
      })
    )
  }
)

it.live(
  "a call that was allowed and runs when access is taken back ends as ever, is charged once, and is the last",
  () =>
    Effect.gen(function* () {
      let release = () => {}
      const released = new Promise<void>((resolve) => (release = resolve))
      let arrive = () => {}
      const arrived = new Promise<void>((resolve) => (arrive = resolve))
      const ranking = JSON.stringify({ results: [{ index: 0, relevance_score: 1 }], usage: { total_tokens: 200 } })
      const { port, received } = yield* httpUpstream((res) => {
        arrive()
        void released.then(() => res.writeHead(200, { "content-type": "application/json" }).end(ranking))
      })
      yield* Effect.gen(function* () {
        const { ask, calls, grants, id } = yield* connected
        yield* allowed(linkIn((yield* ask("in flight")).text))
        const running = yield* Effect.forkChild(ask("in flight"))
        yield* Effect.promise(() => arrived)
        yield* grants.revoke(id)
        expect((yield* ask("in flight")).status).toBe(401)
        release()
        expect((yield* Fiber.join(running)).status).toBe(200)
        expect([yield* calls, received.length]).toEqual([1, 1])
        expect((yield* ask("in flight")).status).toBe(401)
      }).pipe(Effect.provide(OAuthGateway.layer({ providers: { rerank: providerAt(port, { protocol: "json" }) } })))
    }).pipe(Effect.scoped)
)

it.live("a yes is for the headers that the upstream gets too, and its page shows them", () =>
  Effect.gen(function* () {
    const ranking = JSON.stringify({ results: [{ index: 0, relevance_score: 1 }], usage: { total_tokens: 200 } })
    const { port, received } = yield* httpUpstream((res) => {
      res.writeHead(200, { "content-type": "application/json" }).end(ranking)
    })
    const provider = providerAt(port, { protocol: "json", forwardedHeaders: ["x-memo"] })
    yield* Effect.gen(function* () {
      const { ask } = yield* connected
      const { before } = yield* allowed(linkIn((yield* ask("memo", { "x-memo": "for my friend" })).text))
      expect(before).toContain("x-memo: for my friend")
      for (const headers of [{ "x-memo": "for mallory" }, {}]) {
        expect(codeOf((yield* ask("memo", headers)).text)).toBe("approval_required")
      }
      expect(received.length).toBe(0)
      // A header that stays here is no part of the request.
      expect((yield* ask("memo", { "x-memo": "for my friend", "x-other": "1" })).status).toBe(200)
      expect(received.length).toBe(1)
    }).pipe(Effect.provide(OAuthGateway.layer({ providers: { rerank: provider } })))
  }).pipe(Effect.scoped)
)
