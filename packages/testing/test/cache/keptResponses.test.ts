import { describe, expect, it } from "@effect/vitest"
import { KeptResponsesBounds } from "@tollgate/gateway"
import { key, TestGateway } from "@tollgate/testing"
import { gatewayTo, providerAt, Served } from "@tollgate/testing/hostile/Served"
import { calls } from "@tollgate/testing/models"
import { alsoOnPostgres, migratedDatabase } from "@tollgate/testing/store/postgres"
import { query } from "@tollgate/testing/store/query"
import { httpUpstream, type Received } from "@tollgate/testing/upstream"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import type { Scope } from "effect/Scope"
import { SqlClient } from "effect/sql/SqlClient"
import { request, type ServerResponse } from "node:http"

interface Sent {
  readonly input: Array<Record<string, unknown>>
  readonly include?: ReadonlyArray<string>
  readonly store?: unknown
  readonly previous_response_id?: string | null
  readonly stream?: boolean
  /** How much more the model says. */
  readonly more?: number
}

const encrypted = "reasoning.encrypted_content"
/** It has more digits than a number of JavaScript. */
const digits = "12345678901234567890"

let made = 0
/** Holds the last event of a stream back. */
let lastEvent: Promise<void> | undefined

/** A model that thinks: it says how many items it read, and takes only its own reasoning, as an upstream that keeps nothing does. */
const answer = (res: ServerResponse, { body }: Received, pause?: Promise<void>) => {
  const sent = JSON.parse(body) as Sent
  const input = Array.isArray(sent.input) ? sent.input : [{ role: "user" }]
  const bad = input.find(
    (item) =>
      item["type"] === "item_reference" ||
      (item["type"] === "reasoning" && !String(item["encrypted_content"]).startsWith("secret"))
  )
  if (bad !== undefined || Boolean(sent.previous_response_id) || sent.store !== false) {
    res.writeHead(400, { "content-type": "application/json" }).end('{"error":{"message":"not found"}}')
    return
  }
  const n = ++made
  const seals = sent.include?.includes(encrypted) === true
  const thought = `{"type":"reasoning","id":"rs_${n}","summary":[]${seals ? `,"encrypted_content":"secret ${n}"` : ""}}`
  const message = `{"type":"message","id":"msg_${n}","role":"assistant","status":"completed","count":${digits},"content":[{"type":"output_text","text":"I read ${input.length}${"!".repeat(sent.more ?? 0)}","annotations":[]}]}`
  const usage = '{"input_tokens":10,"output_tokens":5,"total_tokens":15,"output_tokens_details":{"reasoning_tokens":2}}'
  const response = (status: string, output: string, used: string) =>
    `{"id":"resp_${n}","object":"response","created_at":1,"status":"${status}","error":null,"incomplete_details":null,"model":"sandbox","store":false,"previous_response_id":null,"output":[${output}],"usage":${used}}`
  const whole = response("completed", `${thought},${message}`, usage)
  const send = () => {
    if (sent.stream !== true) return void res.writeHead(200, { "content-type": "application/json" }).end(whole)
    const events = [
      `{"type":"response.created","sequence_number":0,"response":${response("in_progress", "", "null")}}`,
      `{"type":"response.output_item.done","sequence_number":1,"output_index":0,"item":${thought}}`,
      `{"type":"response.output_text.delta","sequence_number":2,"item_id":"msg_${n}","output_index":1,"content_index":0,"delta":"I read"}`,
      `{"type":"response.completed","sequence_number":3,"response":${whole}}`
    ]
    res.writeHead(200, { "content-type": "text/event-stream" })
    // Cut in the middle of events.
    const text = events.map((event) => `event: x\ndata: ${event}\n\n`).join("")
    const end = text.length - 500
    for (let at = 0; at < end; at += 97) res.write(text.slice(at, Math.min(at + 97, end)))
    const rest = text.slice(end)
    if (lastEvent === undefined) res.end(rest)
    else void lastEvent.then(() => res.end(rest))
  }
  if (pause === undefined) send()
  else void pause.then(send)
}

interface Answer {
  readonly status: number
  readonly text: string
  readonly json: () => Record<string, unknown>
}

const send = (method: string, path: string, body?: string, credential = key, headers: Record<string, string> = {}) =>
  Effect.flatMap(Served, ({ baseUrl }) =>
    Effect.promise(async (): Promise<Answer> => {
      const response = await fetch(`${baseUrl}${path}`, {
        method,
        headers: { authorization: `Bearer ${credential}`, "content-type": "application/json", ...headers },
        ...(body === undefined ? {} : { body })
      })
      const text = await response.text()
      return { status: response.status, text, json: () => JSON.parse(text) as Record<string, unknown> }
    })
  )

const think = { model: "sandbox", reasoning: { effort: "low" } }

const ask = (more: object, credential?: string, headers?: Record<string, string>) =>
  send("POST", "/v1/responses", JSON.stringify({ ...think, input: "Why?", ...more }), credential, headers)

/** The id of a response that must have been made. */
const ok = (answer: Answer): string => {
  expect([answer.status, answer.text]).toEqual([200, answer.text])
  return String(answer.json()["id"])
}

const turn = (more: object) => Effect.map(ask(more), ok)

const errorOf = (answer: Answer) => answer.json()["error"] as Record<string, unknown>

const otherKey = Effect.gen(function* () {
  const { accounts } = yield* TestGateway
  const { value } = yield* accounts.createKey((yield* accounts.create("another")).id, {})
  return Redacted.value(value)
})

const sqlOf = TestGateway.useSync(({ sql }) => sql)
const rows = (text: string) => Effect.flatMap(sqlOf, (sql) => Effect.provideService(query(text), SqlClient, sql))

type Use<A, E> = (received: ReadonlyArray<Received>) => Effect.Effect<A, E, Served | TestGateway | Scope>

describe.each([
  { name: "SQLite", has: true, database: Effect.succeed(undefined) },
  { name: "PostgreSQL", has: alsoOnPostgres, database: migratedDatabase }
])("responses that are kept in $name", ({ database, has }) => {
  const gateway = (port: number, address: Redacted.Redacted | undefined, ofAccount?: number) => {
    const options = address === undefined ? {} : { database: address }
    const bounds = ofAccount === undefined ? Layer.empty : Layer.succeed(KeptResponsesBounds, { days: 30, ofAccount })
    return Layer.provideMerge(
      Served.layer(),
      Layer.provide(gatewayTo({ responses: providerAt(port, { protocol: "openai" }) }, options), bounds)
    )
  }

  const test = <A, E>(
    title: string,
    use: Use<A, E>,
    { ofAccount, pause }: { readonly ofAccount?: number; readonly pause?: Promise<void> } = {}
  ) =>
    it.live.runIf(has)(title, () =>
      Effect.gen(function* () {
        made = 0
        const { port, received } = yield* httpUpstream((res, request) => answer(res, request, pause))
        return yield* Effect.provide(use(received), gateway(port, yield* Effect.orDie(database), ofAccount))
      }).pipe(Effect.scoped)
    )

  test("are gone on from, with every item as it was, and the upstream keeps nothing", (received) =>
    Effect.gen(function* () {
      let id = yield* turn({ input: [{ role: "user", content: "1", count: "NUMBER" }], instructions: "Be brief." })
      for (let n = 2; n <= 6; n++) {
        const stream = n % 2 === 0
        const answer = yield* ask({ input: `${n}`, previous_response_id: id, stream })
        expect(answer.status).toBe(200)
        expect(answer.text).not.toContain("secret")
        expect(answer.text).toContain(`"store":true,"previous_response_id":"${id}"`)
        id = `resp_${n}`
      }
      const last = received.at(-1)?.body ?? ""
      const { include, input, store, ...rest } = JSON.parse(last) as Sent
      expect(input.map(({ id, role }) => id ?? role)).toEqual([
        ...[1, 2, 3, 4, 5].flatMap((n) => ["user", `rs_${n}`, `msg_${n}`]),
        "user"
      ])
      expect(input[1]).toMatchObject({ encrypted_content: "secret 1" })
      expect(last.split(digits)).toHaveLength(6)
      expect([include, store]).toEqual([[encrypted], false])
      expect(rest).toEqual({ ...think, stream: true })
      expect((yield* calls).map(({ state }) => state)).toEqual(Array(6).fill("settled"))
      const read = yield* send("GET", `/v1/responses/${id}`)
      expect(read.json()).toMatchObject({ id, store: true, previous_response_id: "resp_5", status: "completed" })
      expect(read.text).not.toContain("secret")
      expect(read.text).toContain(digits)
    }))

  test("show encrypted reasoning only to who asked for it, and ask for it only where the model reasons", (received) =>
    Effect.gen(function* () {
      expect((yield* ask({ include: [encrypted] })).text).toContain("secret 1")
      expect((yield* send("GET", "/v1/responses/resp_1")).text).toContain("secret 1")
      yield* ask({ reasoning: { effort: "none" } })
      yield* ask({ store: false })
      yield* ask({ include: ["message.output_text.logprobs"] })
      expect(received.map(({ body }) => (JSON.parse(body) as Sent).include)).toEqual([
        [encrypted],
        // The model's first report has reasoning.
        [encrypted],
        undefined,
        ["message.output_text.logprobs", encrypted]
      ])
    }))

  test("go on without the reasoning of a turn that came without its encrypted content", (received) =>
    Effect.gen(function* () {
      // Nothing is known of the model yet.
      const { reasoning: _, ...plain } = think
      const body = (more: object) => JSON.stringify({ ...plain, input: "Why?", ...more })
      ok(yield* send("POST", "/v1/responses", body({})))
      ok(yield* send("POST", "/v1/responses", body({ previous_response_id: "resp_1" })))
      ok(yield* send("POST", "/v1/responses", body({ previous_response_id: "resp_2" })))
      const read = received.map(({ body }) => (JSON.parse(body) as Sent).input)
      const ids = read.slice(1).map((input) => input.map(({ id, role }) => id ?? role))
      expect(ids).toEqual([
        ["user", "msg_1", "user"],
        ["user", "msg_1", "user", "rs_2", "msg_2", "user"]
      ])
    }))

  test("are referred to item by item, also by reasoning that is sent back without its encrypted content", (received) =>
    Effect.gen(function* () {
      yield* turn({})
      const user = { role: "user", content: "And?" }
      const refers = { input: [user, { type: "item_reference", id: "rs_1" }, { id: "msg_1" }, user] }
      yield* turn(refers)
      yield* turn({ input: [user, { type: "reasoning", id: "rs_1", summary: [] }, user], store: false })
      const [, second, third] = received.map(({ body }) => JSON.parse(body) as Sent)
      expect(second?.input.map(({ type }) => type)).toEqual([undefined, "reasoning", "message", undefined])
      expect(second?.input[1]).toMatchObject({ id: "rs_1", encrypted_content: "secret 1" })
      expect(received[1]?.body).toContain(digits)
      expect(third?.input[1]).toMatchObject({ id: "rs_1", encrypted_content: "secret 1" })
      const unknown = yield* ask({ input: [user, { type: "item_reference", id: "msg_9" }] })
      expect([unknown.status, errorOf(unknown)]).toMatchObject([404, { code: "response_not_found", param: "input" }])
      expect(received).toHaveLength(3)
    }))

  test("are not referred to so often that they are too large together", (received) =>
    Effect.gen(function* () {
      yield* turn({ more: 1_000_000 })
      const refused = yield* ask({ input: Array(20_000).fill({ id: "msg_1" }) })
      expect([refused.status, errorOf(refused)]).toMatchObject([413, { code: "body_too_large" }])
      expect(received).toHaveLength(1)
    }))

  test("count in quotes and caps with the size that they have", () =>
    Effect.gen(function* () {
      const quote = { "x-tollgate-cost-mode": "quote" }
      const most = Effect.fnUntraced(function* (more: object) {
        const answer = yield* ask({ max_output_tokens: 10, ...more }, key, quote)
        expect(answer.status).toBe(200)
        return answer.json()["max_micros_usd"] as number
      })
      const id = yield* turn({ input: "river ".repeat(2_000) })
      const bare = yield* most({})
      const after = yield* most({ previous_response_id: id })
      // 12,000 bytes are at most as many tokens, at 5 USD a million.
      expect(after - bare).toBeGreaterThan(12_000 * 5)
      expect(after - bare).toBeLessThan(13_000 * 5)
      const cap = (usd: number) => ({ "x-tollgate-max-price-usd": String(usd) })
      const next = { max_output_tokens: 10, previous_response_id: id }
      expect((yield* ask(next, key, cap((bare + 1_000) / 1e6))).status).toBe(402)
      expect((yield* ask(next, key, cap(after / 1e6))).status).toBe(200)
    }))

  test("are not read by a count of tokens that refers to another account's", (received) =>
    Effect.gen(function* () {
      const previous_response_id = yield* turn({})
      const body = JSON.stringify({ model: "sandbox", input: "Why?", previous_response_id })
      const refused = yield* send("POST", "/v1/responses/input_tokens", body, yield* otherKey)
      expect([refused.status, errorOf(refused)]).toMatchObject([400, { code: "previous_response_not_found" }])
      expect(received).toHaveLength(1)
    }))

  test("are their account's: to others they are as those that never were", (received) =>
    Effect.gen(function* () {
      const id = yield* turn({})
      const other = yield* otherKey
      const replaced = ({ status, text }: Answer, id: string) => [
        status,
        text.replaceAll(id, "ID").replace(/"request_id":"[^"]*"/, "")
      ]
      const both = (probe: (id: string) => ReturnType<typeof send>) =>
        Effect.gen(function* () {
          const [theirs, never] = [yield* probe(id), yield* probe("resp_x")]
          expect(replaced(theirs, id)).toEqual(replaced(never, "resp_x"))
          return theirs
        })
      const previous = yield* both((previous_response_id) => ask({ previous_response_id }, other))
      expect([previous.status, errorOf(previous)]).toMatchObject([
        400,
        { code: "previous_response_not_found", param: "previous_response_id", type: "invalid_request_error" }
      ])
      expect(previous.text).toContain("30 days")
      for (const path of ["", "/input_items"]) {
        expect((yield* both((id) => send("GET", `/v1/responses/${id}${path}`, undefined, other))).status).toBe(404)
      }
      expect((yield* both((id) => send("DELETE", `/v1/responses/${id}`, undefined, other))).status).toBe(404)
      const item = yield* ask({ input: [{ type: "item_reference", id: "msg_1" }] }, other)
      expect(item.status).toBe(404)
      expect((yield* send("GET", `/v1/responses/${id}`)).status).toBe(200)
      expect(received).toHaveLength(1)
    }))

  test("cannot be read in the store, or by moving them to another account", () =>
    Effect.gen(function* () {
      yield* turn({ input: "The river is a secret." })
      const [row] = yield* rows("SELECT * FROM kept_responses")
      expect(Buffer.from(row?.["body"] as Uint8Array).toString("latin1")).not.toMatch(/secret|river/)
      expect(JSON.stringify({ ...row, body: undefined })).not.toMatch(/secret|river/)
      const other = yield* otherKey
      yield* rows("UPDATE kept_responses SET account = (SELECT id FROM accounts WHERE id <> account)")
      expect((yield* send("GET", "/v1/responses/resp_1", undefined, other)).status).toBe(404)
      expect((yield* ask({ previous_response_id: "resp_1" }, other)).status).toBe(400)
    }))

  test("that are deleted are gone, and what went on from them stays", (received) =>
    Effect.gen(function* () {
      const first = yield* turn({ input: "1" })
      const second = yield* turn({ input: "2", previous_response_id: first })
      const third = yield* turn({ input: "3", previous_response_id: second })
      const gone = yield* send("DELETE", `/v1/responses/${second}`)
      expect(gone.json()).toEqual({ id: second, object: "response", deleted: true })
      expect((yield* send("DELETE", `/v1/responses/${second}`)).status).toBe(404)
      expect((yield* send("GET", `/v1/responses/${second}`)).status).toBe(404)
      expect((yield* ask({ previous_response_id: second })).status).toBe(400)
      expect((yield* ask({ input: [{ type: "item_reference", id: "msg_2" }] })).status).toBe(404)
      const fourth = yield* turn({ input: "4", previous_response_id: third })
      const { input } = JSON.parse(received.at(-1)?.body ?? "") as Sent
      expect(input).toHaveLength(10)
      for (const id of [fourth, third]) yield* send("DELETE", `/v1/responses/${id}`)
      // Nothing is left of what only they were made of.
      expect(yield* rows("SELECT id FROM kept_responses")).toEqual([{ id: first }])
      expect(yield* rows("SELECT id FROM kept_items ORDER BY id")).toEqual([{ id: "msg_1" }, { id: "rs_1" }])
    }))

  test("of one conversation are as many as are asked for, on a few rows each", (received) =>
    Effect.gen(function* () {
      let id = yield* turn({ input: "a".repeat(100) })
      const turns = 115
      for (let n = 2; n <= turns; n++) id = yield* turn({ input: "a".repeat(100), previous_response_id: id })
      expect((JSON.parse(received.at(-1)?.body ?? "") as Sent).input).toHaveLength(turns * 3 - 2)
      const [kept] = yield* rows(
        "SELECT MAX(depth) AS depth, SUM(LENGTH(body)) AS bytes, MAX(size) AS size FROM kept_responses"
      )
      expect(kept?.["depth"]).toBe(100)
      // Each has its own part, the whole answer beside it, and all of it is there again once.
      expect(Number(kept?.["bytes"])).toBeLessThan(Number(kept?.["size"]) * 5)
      expect((yield* send("GET", `/v1/responses/${id}/input_items?limit=100`)).json()).toMatchObject({ has_more: true })
    }))

  test("of a conversation that is sent in whole are kept in parts", () =>
    Effect.gen(function* () {
      const input: Array<object> = []
      for (let n = 1; n <= 5; n++) {
        input.push({ role: "user", content: `${n} ${"river ".repeat(1_000)}` })
        yield* turn({ input })
        input.push({ type: "item_reference", id: `rs_${n}` }, { type: "item_reference", id: `msg_${n}` })
      }
      const kept = yield* rows("SELECT depth, LENGTH(body) AS bytes FROM kept_responses ORDER BY since")
      expect(kept.map(({ depth }) => depth)).toEqual([0, 1, 2, 3, 4])
      expect(Math.max(...kept.map(({ bytes }) => Number(bytes)))).toBeLessThan(8_000)
      const items = yield* send("GET", "/v1/responses/resp_5/input_items?limit=100&order=asc")
      expect((items.json()["data"] as ReadonlyArray<object>).length).toBe(13)
    }))

  test("are gone on from by many at once, each with its own end", (received) =>
    Effect.gen(function* () {
      const id = yield* turn({})
      const next = yield* Effect.all(
        Array.from({ length: 20 }, (_, n) => turn({ input: `branch ${n}`, previous_response_id: id })),
        { concurrency: "unbounded" }
      )
      expect(new Set(next).size).toBe(20)
      for (const id of next) yield* turn({ previous_response_id: id })
      const branches = received.slice(-20).map(({ body }) => (JSON.parse(body) as Sent).input[3]?.["content"])
      expect(new Set(branches).size).toBe(20)
    }))

  test(
    "have bounds of which callers are told",
    (received) =>
      Effect.gen(function* () {
        const first = yield* turn({})
        const answer = yield* ask({ input: "a".repeat(3_000) })
        const large = ok(answer)
        expect(answer.json()).toMatchObject({ store: false })
        const { text } = yield* ask({ input: "a".repeat(3_000), stream: true })
        expect(text.slice(text.indexOf('"response.completed"'))).toContain('"store":false')
        for (const answer of [
          yield* ask({ previous_response_id: large }),
          yield* ask({ input: [{ type: "item_reference", id: "msg_2" }] }),
          yield* send("GET", `/v1/responses/${large}`)
        ]) {
          expect([400, 404]).toContain(answer.status)
          expect(answer.text).toContain("MB each with its input")
        }
        let id = first
        for (let n = 0; n < 60; n++)
          id = yield* turn({ previous_response_id: n < 2 ? id : null, input: "b".repeat(800) })
        const gone = yield* ask({ previous_response_id: first })
        expect([gone.status, gone.text]).toEqual([400, expect.stringContaining("the oldest go first")])
        expect((yield* send("GET", `/v1/responses/${id}`)).status).toBe(200)
        const [kept] = yield* rows("SELECT SUM(LENGTH(body)) AS bytes FROM kept_responses")
        expect(Number(kept?.["bytes"])).toBeLessThan(65_536)
        expect(received.length).toBe(63)
      }),
    { ofAccount: 65_536 }
  )

  test(
    "of a conversation that goes on outlive others that came after its beginning",
    () =>
      Effect.gen(function* () {
        let id = yield* turn({})
        for (let n = 0; n < 200; n++) {
          yield* turn({ input: "c".repeat(500) })
          if (n % 20 === 0) id = yield* turn({ previous_response_id: id, input: String(n) })
        }
        yield* turn({ previous_response_id: id })
      }),
    { ofAccount: 131_072 }
  )

  test("are read alone, without what they went on from", () =>
    Effect.gen(function* () {
      const first = yield* turn({})
      const id = yield* turn({ previous_response_id: first })
      yield* rows("DELETE FROM kept_responses WHERE depth = 0")
      expect((yield* send("GET", `/v1/responses/${id}`)).json()).toMatchObject({ id, previous_response_id: first })
      expect((yield* send("GET", `/v1/responses/${id}/input_items`)).status).toBe(404)
      expect((yield* ask({ previous_response_id: id })).status).toBe(400)
    }))

  test("end with their time", () =>
    Effect.gen(function* () {
      const first = yield* turn({})
      const second = yield* turn({ previous_response_id: first })
      const [row] = yield* rows("SELECT ends_at FROM kept_responses LIMIT 1")
      expect(Math.abs(Number(row?.["ends_at"]) - Date.now() - 30 * 86_400_000)).toBeLessThan(60_000)
      yield* rows(`UPDATE kept_responses SET ends_at = 1 WHERE id = '${first}'`)
      expect((yield* send("GET", `/v1/responses/${first}`)).status).toBe(404)
      expect((yield* ask({ previous_response_id: first })).status).toBe(400)
      yield* turn({ previous_response_id: second })
    }))

  test("are those that were made, unless the caller says no, and no failures", (received) =>
    Effect.gen(function* () {
      const id = yield* turn({ store: false })
      expect((yield* send("GET", `/v1/responses/${id}`)).status).toBe(404)
      expect(JSON.parse(received[0]?.body ?? "")).toEqual({ ...think, input: "Why?", store: false })
      expect((yield* ask({ input: [{ type: "reasoning", id: "rs_0", summary: [] }] })).status).toBe(400)
      expect(yield* rows("SELECT id FROM kept_responses")).toEqual([])
    }))

  test("are the same call again under one idempotency key, by what was sent", (received) =>
    Effect.gen(function* () {
      const [first, second] = [yield* turn({}), yield* turn({})]
      const again = { "idempotency-key": "k1", "x-tollgate-idempotency-mode": "replay" }
      const one = yield* ask({ previous_response_id: first }, key, again)
      const two = yield* ask({ previous_response_id: first }, key, again)
      expect([two.status, two.text]).toEqual([200, one.text])
      // The same items, by another reference.
      expect((yield* ask({ previous_response_id: second }, key, again)).status).toBe(422)
      expect(received).toHaveLength(3)
    }))

  test("that could not be kept were answered and charged all the same", () =>
    Effect.gen(function* () {
      const id = yield* turn({})
      yield* rows("DROP TABLE kept_items")
      yield* turn({ input: "2" })
      const answer = yield* ask({ stream: true })
      expect(answer.text).toContain("response.completed")
      expect((yield* calls).map(({ state }) => state)).toEqual(["settled", "settled", "settled"])
      // All of a response or nothing.
      expect(yield* rows("SELECT id FROM kept_responses")).toEqual([{ id }])
      yield* rows("DROP TABLE kept_responses")
      const unreadable = yield* ask({ previous_response_id: id })
      expect([unreadable.status, errorOf(unreadable)]).toMatchObject([503, { code: "billing_unavailable" }])
    }))

  let goOn = () => {}
  const pause = new Promise<void>((resolve) => (goOn = resolve))
  test(
    "are kept if the caller left before the answer",
    (received) =>
      Effect.gen(function* () {
        const { baseUrl } = yield* Served
        const req = request(`${baseUrl}/v1/responses`, { method: "POST", headers: { authorization: `Bearer ${key}` } })
        req.on("error", () => {})
        req.end(JSON.stringify({ ...think, input: "Why?" }))
        const until = (isSo: Effect.Effect<boolean, unknown, TestGateway>): Effect.Effect<void, unknown, TestGateway> =>
          Effect.flatMap(isSo, (so) => (so ? Effect.void : Effect.andThen(Effect.sleep(20), until(isSo))))
        yield* until(Effect.sync(() => received.length === 1))
        req.destroy()
        yield* Effect.sleep(50)
        goOn()
        yield* until(Effect.map(rows("SELECT id FROM kept_responses"), ({ length }) => length === 1))
        yield* turn({ previous_response_id: "resp_1" })
        // The gateway knows by now that the model thinks, and reads a stream on.
        let goOnLast = () => {}
        lastEvent = new Promise<void>((resolve) => (goOnLast = resolve))
        const streaming = request(`${baseUrl}/v1/responses`, {
          method: "POST",
          headers: { authorization: `Bearer ${key}` }
        })
        streaming.on("error", () => {})
        streaming.on("response", (res) => res.on("error", () => {}).once("data", () => streaming.destroy()))
        streaming.end(JSON.stringify({ ...think, input: "Why?", stream: true }))
        yield* until(Effect.sync(() => streaming.destroyed))
        yield* Effect.sleep(50)
        goOnLast()
        lastEvent = undefined
        yield* until(Effect.map(rows("SELECT id FROM kept_responses"), ({ length }) => length === 3))
        yield* turn({ previous_response_id: "resp_3" })
      }),
    { pause }
  )

  test("are listed with what they were made of, page by page", () =>
    Effect.gen(function* () {
      const first = yield* turn({ input: "1" })
      const second = yield* turn({
        previous_response_id: first,
        input: [
          { role: "user", content: "2" },
          { role: "user", content: "3", id: "mine" }
        ]
      })
      const page = (query: string) =>
        Effect.map(send("GET", `/v1/responses/${second}/input_items${query}`), (a) => a.json())
      const all = yield* page("?order=asc")
      const data = all["data"] as ReadonlyArray<Record<string, unknown>>
      expect(data.map(({ id }) => id)).toEqual(["item_0", "rs_1", "msg_1", "item_3", "mine"])
      expect(data[0]).toEqual({ type: "message", role: "user", content: "1", id: "item_0" })
      expect(JSON.stringify(data)).not.toContain("secret")
      expect(all).toMatchObject({ object: "list", first_id: "item_0", last_id: "mine", has_more: false })
      const newest = yield* page("?limit=2")
      expect(newest).toMatchObject({ first_id: "mine", last_id: "item_3", has_more: true })
      expect(yield* page("?limit=3&after=item_3")).toMatchObject({
        first_id: "msg_1",
        last_id: "item_0",
        has_more: false
      })
      for (const wrong of ["?limit=0", "?limit=101", "?order=up", "?after=item_9", "?include[]=x"]) {
        expect((yield* send("GET", `/v1/responses/${second}/input_items${wrong}`)).status, wrong).toBe(400)
      }
    }))
})

it.live.runIf(alsoOnPostgres)("a conversation goes on at another gateway of the fleet", () =>
  Effect.gen(function* () {
    made = 0
    const { port, received } = yield* httpUpstream((res, request) => answer(res, request))
    const address = yield* Effect.orDie(migratedDatabase)
    const providers = { responses: providerAt(port, { protocol: "openai" }) }
    const one = yield* Layer.build(Layer.provideMerge(Served.layer(), gatewayTo(providers, { database: address })))
    const two = yield* Layer.build(Layer.provideMerge(Served.layer(), gatewayTo(providers, { database: address })))
    let id: string | null = null
    for (let n = 0; n < 10; n++) {
      id = yield* Effect.provideContext(turn({ previous_response_id: id, stream: false }), n % 2 === 0 ? one : two)
    }
    expect((JSON.parse(received.at(-1)?.body ?? "") as Sent).input).toHaveLength(28)
  }).pipe(Effect.scoped)
)
