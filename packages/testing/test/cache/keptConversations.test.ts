import { describe, expect, it } from "@effect/vitest"
import { KeptResponsesBounds } from "@tollgate/gateway"
import { key, TestGateway } from "@tollgate/testing"
import { gatewayTo, providerAt, Served } from "@tollgate/testing/hostile/Served"
import { alsoOnPostgres, migratedDatabase } from "@tollgate/testing/store/postgres"
import { query } from "@tollgate/testing/store/query"
import { httpUpstream } from "@tollgate/testing/upstream"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { SqlClient } from "effect/sql/SqlClient"
import OpenAI from "openai"

interface Sent extends Readonly<Record<string, unknown>> {
  readonly input: ReadonlyArray<Readonly<Record<string, unknown>>>
  readonly stream?: boolean
}

/** The words of the items that the model read. */
const wordsOf = ({ input }: Sent) => input.map(({ content, type }) => (typeof content === "string" ? content : type))

const collected = async (items: AsyncIterable<{ readonly id?: string; readonly type?: string }>) => {
  const all: Array<{ readonly id: string; readonly type: string }> = []
  for await (const { id, type } of items) all.push({ id: String(id), type: String(type) })
  return all
}

const refusal = (call: Promise<unknown>) =>
  call.then(
    () => "nothing",
    (error: unknown) => {
      if (!(error instanceof OpenAI.APIError)) throw error
      return { status: error.status as number, code: error.code, param: error.param, text: error.message }
    }
  )

describe.each([
  { name: "SQLite", has: true, database: Effect.succeed(undefined) },
  { name: "PostgreSQL", has: alsoOnPostgres, database: migratedDatabase }
])("conversations that are kept in $name", ({ database, has }) => {
  interface World {
    readonly openai: OpenAI
    readonly other: OpenAI
    /** What the model was sent. */
    readonly sent: ReadonlyArray<Sent>
    readonly rows: (text: string) => Promise<ReadonlyArray<Readonly<Record<string, unknown>>>>
    readonly ask: (id: string, input: string, more?: object) => Promise<OpenAI.Responses.Response>
  }

  const test = (title: string, use: (world: World) => Promise<void>, ofAccount?: number) =>
    it.live.runIf(has)(title, () =>
      Effect.gen(function* () {
        const sent: Array<Sent> = []
        const { port } = yield* httpUpstream((res, { body }) => {
          const request = JSON.parse(body) as Sent
          const n = sent.push(request)
          const message = `{"type":"message","id":"msg_${n}","role":"assistant","status":"completed","content":[{"type":"output_text","text":"I read ${request.input.length}","annotations":[]}]}`
          const thought = `{"type":"reasoning","id":"rs_${n}","summary":[],"encrypted_content":"sealed ${n}"}`
          const usage = '{"input_tokens":10,"output_tokens":5,"total_tokens":15}'
          const whole = `{"id":"resp_${n}","object":"response","created_at":1,"status":"completed","model":"sandbox","store":false,"previous_response_id":null,"output":[${thought},${message}],"usage":${usage}}`
          if (request.stream !== true) return void res.writeHead(200, { "content-type": "application/json" }).end(whole)
          const events = ["created", "completed"].map(
            (kind, at) => `event: x\ndata: {"type":"response.${kind}","sequence_number":${at},"response":${whole}}\n\n`
          )
          res.writeHead(200, { "content-type": "text/event-stream" }).end(events.join(""))
        })
        const address = yield* Effect.orDie(database)
        const bounds =
          ofAccount === undefined ? Layer.empty : Layer.succeed(KeptResponsesBounds, { days: 30, ofAccount })
        const upstreams = { responses: providerAt(port, { protocol: "openai" }) }
        const gateway = gatewayTo(upstreams, address === undefined ? {} : { database: address })
        yield* Effect.gen(function* () {
          const { baseUrl } = yield* Served
          const { accounts, sql } = yield* TestGateway
          const { value } = yield* accounts.createKey((yield* accounts.create("another")).id, {})
          const client = (apiKey: string) => new OpenAI({ apiKey, baseURL: `${baseUrl}/v1`, maxRetries: 0 })
          const openai = client(key)
          const rows: World["rows"] = (text) => Effect.runPromise(Effect.provideService(query(text), SqlClient, sql))
          const ask: World["ask"] = (conversation, input, more) =>
            openai.responses.create({ model: "sandbox", input, conversation, ...more, stream: false })
          yield* Effect.promise(() => use({ openai, other: client(Redacted.value(value)), sent, rows, ask }))
        }).pipe(Effect.provide(Layer.provideMerge(Served.layer(), Layer.provide(gateway, bounds))))
      }).pipe(Effect.scoped)
    )

  test("go on by name, whole and streamed, with what both said", async ({ ask, openai, sent }) => {
    const { id, metadata } = await openai.conversations.create({
      metadata: { topic: "rivers" },
      items: [{ type: "message", role: "developer", content: "Be brief." }]
    })
    expect(metadata).toEqual({ topic: "rivers" })
    await ask(id, "1")
    const body = { model: "sandbox", input: "2", conversation: { id } }
    await openai.responses.stream(body).finalResponse()
    await ask(id, "3")
    expect(sent.map(wordsOf)).toEqual([
      ["Be brief.", "1"],
      ["Be brief.", "1", "reasoning", "message", "2"],
      ["Be brief.", "1", "reasoning", "message", "2", "reasoning", "message", "3"]
    ])
    expect(JSON.stringify(sent[2])).toContain('"encrypted_content":"sealed 2"')
    // The upstream keeps nothing and sees no id of ours.
    expect(sent.every((request) => !("conversation" in request) && request["store"] === false)).toBe(true)
    expect(JSON.stringify(sent)).not.toMatch(/conv_|item_/)
    const items = await collected(await openai.conversations.items.list(id, { limit: 3, order: "asc" }))
    expect(items.map(({ type }) => type)).toEqual([
      "message",
      ...[1, 2, 3].flatMap(() => ["message", "reasoning", "message"])
    ])
    expect(new Set(items.map((item) => item.id)).size).toBe(10)
    const read = await openai.responses.retrieve("resp_3")
    expect(read.output_text).toBe("I read 8")
    await openai.responses.inputTokens.count(body)
    expect(sent.at(-1)?.input).toHaveLength(11)
  })

  test("are changed item by item", async ({ ask, openai, sent }) => {
    const { id } = await openai.conversations.create({})
    const added = await openai.conversations.items.create(id, {
      items: [
        { role: "user", content: "One" },
        { role: "user", content: [{ type: "input_text", text: "Two" }] }
      ]
    })
    const [one, two] = added.data
    expect(one).toMatchObject({ type: "message", role: "user", content: [{ type: "input_text", text: "One" }] })
    expect(await openai.conversations.items.retrieve(String(two?.id), { conversation_id: id })).toEqual(two)
    expect(await openai.conversations.items.delete(String(one?.id), { conversation_id: id })).toMatchObject({ id })
    await ask(id, "Three")
    expect(sent[0]?.input.map(({ content }) => content)).toEqual([[{ type: "input_text", text: "Two" }], "Three"])
    const metadata = { topic: "bends" }
    expect(await openai.conversations.update(id, { metadata })).toMatchObject({ id, metadata })
    expect(await openai.conversations.retrieve(id)).toMatchObject({ id, object: "conversation", metadata })
    const [first] = await collected(await openai.conversations.items.list(id))
    expect(first).toMatchObject({ id: "msg_1" })
    const reasoning = await openai.conversations.items.retrieve("rs_1", { conversation_id: id })
    expect(JSON.stringify(reasoning)).not.toContain("sealed")
    expect(await openai.conversations.delete(id)).toMatchObject({ id, deleted: true })
    expect(await refusal(ask(id, "Four"))).toMatchObject({ status: 404, param: "conversation" })
    expect(sent).toHaveLength(1)
  })

  test("are their account's, and encrypted in the store", async ({ ask, openai, other, rows, sent }) => {
    const items = [{ role: "user", content: "The river is a secret." } as const]
    const { id } = await openai.conversations.create({ items, metadata: { of: "secrets" } })
    const tries = (id: string) => [
      other.conversations.retrieve(id),
      other.conversations.update(id, { metadata: {} }),
      other.conversations.items.list(id),
      other.conversations.items.create(id, { items }),
      other.conversations.delete(id),
      other.responses.create({ model: "sandbox", input: "?", conversation: id })
    ]
    const never = `conv_${"0".repeat(32)}`
    const answers = await Promise.all([...tries(id), ...tries(never)].map(refusal))
    const texts = answers.map((answer) =>
      JSON.stringify(answer)
        .replaceAll(never, id)
        .replace(/req\w+/g, "")
    )
    expect(texts.slice(0, 6)).toEqual(texts.slice(6))
    expect(answers.map((answer) => (typeof answer === "string" ? answer : answer.status))).toEqual(Array(12).fill(404))
    expect(sent).toEqual([])
    const [row] = await rows("SELECT * FROM kept_conversations")
    const stored = Buffer.from(row?.["body"] as Uint8Array).toString("latin1")
    expect(stored + JSON.stringify({ ...row, body: undefined })).not.toMatch(/secret|river/)
    await rows("UPDATE kept_conversations SET account = (SELECT id FROM accounts WHERE id <> account)")
    expect(await refusal(other.conversations.retrieve(id))).toMatchObject({ status: 404 })
    await rows("UPDATE kept_conversations SET ends_at = 1")
    expect(await refusal(ask(id, "?"))).toMatchObject({ status: 404 })
  })

  test("lose nothing that many say at once", async ({ ask, openai }) => {
    const { id } = await openai.conversations.create({})
    await Promise.all(Array.from({ length: 12 }, (_, n) => ask(id, `branch ${n}`)))
    const items = await collected(await openai.conversations.items.list(id, { limit: 100 }))
    expect(new Set(items.map((item) => item.id)).size).toBe(36)
  })

  test("have bounds, of which the oldest go first", async ({ ask, openai, sent }) => {
    const text = (length: number) => [{ role: "user", content: "b".repeat(length) } as const]
    const { id } = await openai.conversations.create({ items: text(1_500) })
    const tooLarge = { status: 413, code: "body_too_large" }
    expect(await refusal(openai.conversations.create({ items: text(2_100) }))).toMatchObject(tooLarge)
    expect(await refusal(openai.conversations.items.create(id, { items: text(700) }))).toMatchObject(tooLarge)
    expect(await refusal(ask(id, "b".repeat(700)))).toMatchObject(tooLarge)
    expect(sent).toEqual([])
    const others = []
    for (let n = 0; n < 40; n++) others.push(await openai.conversations.create({ items: text(1_500) }))
    expect(await refusal(openai.conversations.retrieve(id))).toMatchObject({ status: 404 })
    expect(await openai.conversations.retrieve(String(others.at(-1)?.id))).toBeDefined()
  }, 65_536)

  test("have as many items as one call can read", async ({ ask, openai, rows, sent }) => {
    const few = (length: number) => Array.from({ length }, () => ({ role: "user", content: "" }) as const)
    const { id } = await openai.conversations.create({ items: few(3_000) })
    const tooLarge = { status: 413, code: "body_too_large" }
    expect(await refusal(openai.conversations.create({ items: few(5_001) }))).toMatchObject(tooLarge)
    expect(await refusal(openai.conversations.items.create(id, { items: few(2_001) }))).toMatchObject(tooLarge)
    expect(await refusal(ask(id, "", { input: few(2_001) }))).toMatchObject(tooLarge)
    expect(sent).toEqual([])
    await ask(id, "?")
    // As if many had added at once.
    await rows("UPDATE kept_conversations SET bytes = 100000000")
    expect(await refusal(ask(id, "?"))).toMatchObject(tooLarge)
    expect(await refusal(openai.conversations.items.list(id))).toMatchObject(tooLarge)
  })

  test("count the bytes that they have", async ({ ask, openai, rows }) => {
    const { id } = await openai.conversations.create({ metadata: { of: "rivers" } })
    const bytes = async () => Number((await rows("SELECT bytes FROM kept_conversations"))[0]?.["bytes"])
    const before = await bytes()
    await openai.conversations.update(id, { metadata: { of: "lakes and rivers" } })
    expect(await bytes()).toBe(before + "lakes and ".length)
    await openai.conversations.update(id, { metadata: { of: "rivers" } })
    const item = (length: number) => ({ role: "user", id: "msg_own", content: "b".repeat(length) })
    for (const length of [9_000, 9_000, 1_000]) {
      await openai.conversations.items.create(id, { items: [item(length)] as never })
    }
    expect(await bytes()).toBeLessThan(before + 1_500)
    await ask(id, "?")
    for (const { id: item } of await collected(await openai.conversations.items.list(id))) {
      await openai.conversations.items.delete(item, { conversation_id: id })
    }
    expect(await bytes()).toBe(before)
  })

  test("are refused in any other form", async ({ ask, openai, sent }) => {
    const { id } = await openai.conversations.create({})
    const items = [{ type: "item_reference", id: "msg_1" } as const]
    const refusals = await Promise.all(
      [
        ask(id, "?", { store: false }),
        ask(id, "?", { previous_response_id: "resp_1" }),
        ask(7 as never, "?"),
        openai.responses.create({ model: "sandbox", input: "?", conversation: {} as never }),
        openai.conversations.items.create(id, { items }),
        openai.conversations.create({ metadata: { of: 7 } as never }),
        openai.conversations.update(id, { metadata: { of: "b".repeat(513) } }),
        openai.conversations.create({ metadata: Object.fromEntries(Array.from({ length: 17 }, (_, n) => [n, ""])) }),
        openai.conversations.create({ items: "all" as never })
      ].map(refusal)
    )
    expect(refusals.map((answer) => typeof answer !== "string" && [answer.status, answer.param])).toEqual([
      [400, "store"],
      [400, "conversation"],
      [400, "conversation"],
      [400, "conversation"],
      [400, "items"],
      [400, "metadata"],
      [400, "metadata"],
      [400, "metadata"],
      [400, "items"]
    ])
    expect(sent).toEqual([])
  })
})
