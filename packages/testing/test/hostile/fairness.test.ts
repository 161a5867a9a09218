import { describe, expect, layer } from "@effect/vitest"
import { micro } from "@tollgate/contract/Money"
import type { KeyTerms } from "@tollgate/ledger/account/Accounts"
import { TestGateway } from "@tollgate/testing"
import { question } from "@tollgate/testing/hardening/requests"
import { Target } from "@tollgate/testing/hardening/target"
import { expectWorking } from "@tollgate/testing/hardening/testAll"
import { wire } from "@tollgate/testing/hardening/wire"
import { chunk, chunked, declared, head } from "@tollgate/testing/hostile/bodies"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"

const chat = "/v1/chat/completions"
const rerank = "/v1/rerank"
const large = 16 * 1024 * 1024

/** A key of a new account that has nothing but its signup credit. */
const newKey = Effect.fnUntraced(function* (terms: KeyTerms = {}) {
  const { accounts } = yield* TestGateway
  const { id: account } = yield* accounts.create("other")
  const { id, value } = yield* accounts.createKey(account, terms)
  return { account, id, key: Redacted.value(value) }
})

/** Sends the head of a request with a large body, none of the body, and returns the answer. */
const sendHead = Effect.fnUntraced(function* (key: string, path = chat, framing = declared(large)) {
  const { port } = yield* Target
  const client = yield* wire(port)
  client.send(head(path, framing, key))
  const [answer] = yield* client.until(1)
  return answer
}, Effect.scoped)

const post = (key: string, body: string, headers: Readonly<Record<string, string>> = {}, path = rerank) =>
  Effect.gen(function* () {
    const { port } = yield* Target
    return yield* Effect.promise(async () => {
      const answer = await fetch(`http://127.0.0.1:${port}${path}`, {
        method: "POST",
        headers: { authorization: `Bearer ${key}`, "content-type": "application/json", ...headers },
        body
      })
      return { status: answer.status, headers: answer.headers, text: await answer.text() }
    })
  })

const remaining = (headers: Readonly<Record<string, string>> = {}) => Number(headers["x-ratelimit-remaining-requests"])

layer(Target.layer({}, { limits: true }), { excludeTestServices: true })("without reading the body", (it) => {
  describe("a caller who cannot pay for anything is refused", () => {
    it.effect("if the key's budget is 0", () =>
      Effect.gen(function* () {
        const { key } = yield* newKey({ budget: micro(0n) })
        for (const path of [chat, rerank]) {
          expect(yield* sendHead(key, path, declared(1_000_000))).toMatchObject({
            status: 402,
            body: expect.stringContaining("over_budget")
          })
        }
        yield* expectWorking
      })
    )

    it.effect("if the quota is used up, and is told not to repeat it", () =>
      Effect.gen(function* () {
        const { key } = yield* newKey({ dayBudget: micro(0n) })
        const answer = yield* sendHead(key)
        expect(answer).toMatchObject({ status: 429, body: expect.stringContaining("quota_exceeded") })
        expect(Number(answer?.headers["retry-after"])).toBeGreaterThan(0)
        expect(answer?.headers["x-should-retry"]).toBe("false")
      })
    )

    it.effect("if the balance is used up, until it is paid in", () =>
      Effect.gen(function* () {
        const { accounts } = yield* TestGateway
        const { account, key } = yield* newKey()
        const { balance } = yield* accounts.get(account)
        yield* accounts.adjust(account, -balance, "all")
        expect(yield* sendHead(key)).toMatchObject({
          status: 402,
          body: expect.stringContaining("insufficient_balance")
        })
        yield* accounts.topUp(account, micro(1_000_000n), "paid")
        expect((yield* post(key, question)).status).toBe(200)
      })
    )

    it.effect("but may ask for a quote and for what is free", () =>
      Effect.gen(function* () {
        const { port } = yield* Target
        const { key } = yield* newKey({ budget: micro(0n) })
        expect((yield* post(key, question, { "x-tollgate-cost-mode": "quote" })).status).toBe(200)
        const headers = { authorization: `Bearer ${key}` }
        const models = yield* Effect.promise(() => fetch(`http://127.0.0.1:${port}/v1/models`, { headers }))
        expect(models.status).toBe(200)
        yield* Effect.promise(() => models.text())
      })
    )

    it.effect("but gets the stored answer of a call that was paid", () =>
      Effect.gen(function* () {
        const { accounts } = yield* TestGateway
        const { id, key } = yield* newKey()
        const first = { "idempotency-key": "first", "x-tollgate-idempotency-mode": "replay" }
        const paid = yield* post(key, question, first)
        expect(paid.status).toBe(200)
        yield* accounts.changeKey(id, { budget: micro(0n) })
        const next = Redacted.value((yield* accounts.rotateKey(id, 60_000)).value)
        const again = yield* post(next, question, first)
        expect([again.status, again.headers.get("idempotent-replayed"), again.text]).toEqual([200, "true", paid.text])
        expect((yield* sendHead(next, rerank, `Idempotency-Key: second\r\n${declared(1_000_000)}`))?.status).toBe(402)
      })
    )
  })

  describe("a caller above its limits is refused", () => {
    it.effect("if its requests per minute are used up", () =>
      Effect.gen(function* () {
        const { accounts } = yield* TestGateway
        const { account, key } = yield* newKey()
        yield* accounts.change(account, { rpm: 2 })
        for (let i = 0; i < 2; i++) expect((yield* post(key, question)).status).toBe(200)
        const answer = yield* sendHead(key)
        expect(answer).toMatchObject({ status: 429, body: expect.stringContaining("2 requests per minute") })
        expect(Number(answer?.headers["retry-after"])).toBeGreaterThan(0)
      })
    )

    it.effect("if it sends as many bodies as it may make calls at a time", () =>
      Effect.gen(function* () {
        const { accounts } = yield* TestGateway
        const { port } = yield* Target
        const { account, key } = yield* newKey()
        yield* accounts.change(account, { rpm: 1_000, concurrency: 3 })
        const clients = yield* Effect.forEach([1, 2, 3, 4], () => wire(port))
        for (const client of clients) client.send(`${head(chat, declared(large), key)}{`)
        const [answer] = yield* Effect.raceAllFirst(clients.map((client) => client.until(1)))
        expect(answer).toMatchObject({ status: 429, body: expect.stringContaining("3 calls at a time") })
        // Whoever leaves in the middle of a body gives its place back.
        for (const { socket } of clients) socket.destroy()
        const body = JSON.stringify({ model: "sandbox", max_tokens: 9, messages: [{ role: "user", content: "Why?" }] })
        while ((yield* post(key, body, {}, chat)).status === 429) yield* Effect.yieldNow
        expect((yield* post(key, body, {}, chat)).status).toBe(200)
      }).pipe(Effect.scoped)
    )
  })

  it.effect("a request that is refused counts once, wherever it is refused", () =>
    Effect.gen(function* () {
      const { key } = yield* newKey({ budget: micro(0n) })
      const left: Array<number> = []
      const attempts = [
        () => sendHead(key),
        () => sendHead(key, "/v1/no-such-path"),
        () => sendHead(key, rerank, declared(large)),
        () => Effect.map(post(key, "{"), ({ headers }) => ({ headers: Object.fromEntries(headers) })),
        () =>
          Effect.map(post(key, "{", { "x-tollgate-cost-mode": "quote" }), ({ headers }) => ({
            headers: Object.fromEntries(headers)
          }))
      ]
      for (const attempt of attempts) left.push(remaining((yield* attempt())?.headers))
      expect(left).toEqual([59, 58, 57, 56, 55])
    })
  )
})

layer(Target.layer(), { excludeTestServices: true })("who is refused before the body is read", (it) => {
  it.effect("gets the whole answer, also in the middle of sending 5 MB", () =>
    Effect.gen(function* () {
      const { key } = yield* newKey({ budget: micro(0n) })
      const answer = yield* post(key, JSON.stringify({ model: "sandbox", x: "x".repeat(5_000_000) }), {}, chat)
      expect(answer.status).toBe(402)
      expect(JSON.parse(answer.text)).toMatchObject({ error: { code: "over_budget" } })
    })
  )

  it.effect("uses the connection again, if the body is small", () =>
    Effect.gen(function* () {
      const { port } = yield* Target
      const { key } = yield* newKey({ budget: micro(0n) })
      const client = yield* wire(port)
      for (const count of [1, 2, 3]) {
        client.send(head(rerank, declared(question.length), key) + question)
        yield* client.until(count)
      }
      expect(client.answers().map(({ status }) => status)).toEqual([402, 402, 402])
    }).pipe(Effect.scoped)
  )

  it.effect("gets its answer also in the middle of chunks", () =>
    Effect.gen(function* () {
      const { port } = yield* Target
      const { key } = yield* newKey({ budget: micro(0n) })
      const client = yield* wire(port)
      client.send(head(rerank, chunked, key) + chunk(" ".repeat(1_000)))
      expect(yield* client.until(1)).toMatchObject([{ status: 402, complete: true }])
    }).pipe(Effect.scoped)
  )
})
