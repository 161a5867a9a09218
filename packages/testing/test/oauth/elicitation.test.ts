import * as V2 from "@modelcontextprotocol/client"
import { Client } from "@modelcontextprotocol/sdk/client/index.js"
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js"
import { ElicitRequestSchema } from "@modelcontextprotocol/sdk/types.js"
import { describe, expect, layer } from "@effect/vitest"
import { connected, decide, linkIn, signedIn } from "@tollgate/testing/oauth/approving"
import { OAuthGateway } from "@tollgate/testing/oauth/OAuthGateway"
import { isAll } from "@tollgate-tooling/programs/counts.ts"
import { ask, bearer, callTool, type Posted } from "@tollgate/testing/tools/agent"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"

const info = { name: "test", version: "1.0.0" }

interface Question {
  readonly mode?: string | undefined
  readonly url?: string
  readonly message: string
}
interface Answer {
  [name: string]: unknown
  action: "accept" | "decline" | "cancel"
}
type Ask = (question: Question) => Promise<Answer>

interface McpClient {
  readonly callTool: (call: {
    readonly name: string
    readonly arguments: Record<string, unknown>
  }) => Promise<Readonly<Record<string, unknown>>>
  readonly close: () => Promise<void>
}

const requestInit = (credential: string) => ({ headers: { authorization: `Bearer ${credential}` } })
const capabilities = { elicitation: { url: {} } }

const second = async (mode: V2.ClientOptions["versionNegotiation"], url: URL, credential: string, ask: Ask) => {
  const client = new V2.Client(info, { capabilities, ...(mode === undefined ? {} : { versionNegotiation: mode }) })
  client.setRequestHandler("elicitation/create", ({ params }) => ask(params as Question))
  await client.connect(new V2.StreamableHTTPClientTransport(url, { requestInit: requestInit(credential) }))
  return client
}

/** The official clients, of a person who can be shown a page. */
const clients: Readonly<Record<string, (url: URL, credential: string, ask: Ask) => Promise<McpClient>>> = {
  "@modelcontextprotocol/sdk 1.32": async (url, credential, ask) => {
    const client = new Client(info, { capabilities })
    client.setRequestHandler(ElicitRequestSchema, async ({ params }) => ({ ...(await ask(params as Question)) }))
    const transport = new StreamableHTTPClientTransport(url, { requestInit: requestInit(credential) })
    await client.connect(transport as Parameters<typeof client.connect>[0])
    return client
  },
  "@modelcontextprotocol/client 2.4, with a session": (url, credential, ask) =>
    second({ mode: "legacy" }, url, credential, ask),
  "@modelcontextprotocol/client 2.4, revision 2026-07-28": (url, credential, ask) =>
    second({ mode: { pin: "2026-07-28" } }, url, credential, ask)
}

const called = (query: string, more: object = {}) => ({
  operation_id: "rerank",
  arguments: { query, documents: ["river mountain sea shore ".repeat(50)] },
  max_price_usd: 0.5,
  ...more
})

const contentOf = (result: Readonly<Record<string, unknown>> | undefined) => {
  const [first] = (result?.["content"] ?? []) as ReadonlyArray<{ readonly text: string }>
  return JSON.parse(first?.text ?? "") as Readonly<Record<string, unknown>>
}

const gatewayThatWaits = (approvalSeconds: number) =>
  Layer.provideMerge(OAuthGateway.served, OAuthGateway.layer({ tools: { approvalSeconds } }))

/** A client whose person does `ask` when it is asked. */
const agent = (name: string, ask: Ask) =>
  Effect.gen(function* () {
    const world = yield* connected
    const connect = clients[name]
    if (connect === undefined) throw new Error(`there is no client ${name}`)
    const client = yield* Effect.acquireRelease(
      Effect.promise(() => connect(new URL(`${world.baseUrl}/mcp`), world.tokens.access_token, ask)),
      (client) => Effect.promise(() => client.close())
    )
    const use = (query: string, more: object = {}) =>
      Effect.promise(async () => {
        return contentOf(await client.callTool({ name: "use", arguments: called(query, more) }))
      })
    return { ...world, use }
  })

/** The newest revision, or all. */
const tried = Object.keys(clients).slice(isAll ? 0 : -1)

describe.each(tried)("%s", (name) => {
  layer(gatewayThatWaits(45), { excludeTestServices: true, timeout: "60 seconds" })("waits for a person", (it) => {
    it.effect("is shown the page, and the call goes on by itself after the yes", () =>
      Effect.gen(function* () {
        const seen: Array<Question> = []
        const { calls, use } = yield* agent(name, async (question) => {
          seen.push(question)
          const link = question.url ?? ""
          const { before } = await decide(await signedIn(link), link, "yes")
          expect(before).toContain("by itself")
          return { action: "accept" }
        })
        expect(yield* use("by itself")).toMatchObject({ status: 200, cost: { state: "settled" } })
        expect(yield* calls).toBe(1)
        expect(seen.length).toBe(1)
        expect(seen[0]).toMatchObject({ mode: "url" })
        expect(linkIn(seen[0]?.url ?? "")).toBe(seen[0]?.url)
        expect(seen[0]?.message).toMatch(/rerank\? It costs about 0\.\d+ USD, at most 0\.\d+ USD/)
        expect(seen[0]?.message).toContain('"query": "by itself"')
      }).pipe(Effect.scoped)
    )

    it.effect("decides after the client said that it shows the page", () =>
      Effect.gen(function* () {
        let link = ""
        const { calls, use } = yield* agent(name, (question) => {
          link = question.url ?? ""
          setTimeout(() => void signedIn(link).then((browser) => decide(browser, link, "yes")), 50)
          return Promise.resolve({ action: "accept" })
        })
        expect(yield* use("later")).toMatchObject({ status: 200 })
        expect(yield* calls).toBe(1)
      }).pipe(Effect.scoped)
    )

    it.effect("ends plainly if the person says no, or does not open the page", () =>
      Effect.gen(function* () {
        const { calls, use } = yield* agent(name, async ({ url: link = "" }) => {
          await decide(await signedIn(link), link, "no")
          return { action: "accept" }
        })
        const refused = { error: { code: "not_approved", outcome: "not executed" } }
        expect(yield* use("no")).toMatchObject(refused)
        const declining = yield* agent(name, () => Promise.resolve({ action: "decline" }))
        expect(yield* declining.use("decline")).toMatchObject(refused)
        expect(yield* calls).toBe(0)
        expect(yield* declining.calls).toBe(0)
      }).pipe(Effect.scoped)
    )

    it.effect("is shown a long request in short, on one line", () =>
      Effect.gen(function* () {
        let message = ""
        const { use } = yield* agent(name, (question) => {
          message = question.message
          return Promise.resolve({ action: "decline" })
        })
        yield* use("very\nlong ".repeat(200))
        expect(message).toContain("very")
        expect(message).toMatch(/…$/)
        expect(message).not.toContain("\n")
        expect(message.length).toBeLessThan(500)
      }).pipe(Effect.scoped)
    )

    it.effect("ends plainly if access is taken back or the time is over", () =>
      Effect.gen(function* () {
        const run = <A, E>(effect: Effect.Effect<A, E>) => Effect.runPromise(Effect.orDie(effect))
        const revoked: Array<Effect.Effect<void>> = []
        const first = yield* agent(name, async () => {
          for (const revoke of revoked) await run(revoke)
          return { action: "accept" }
        })
        revoked.push(Effect.orDie(first.grants.revoke(first.id)))
        const content = yield* Effect.exit(first.use("revoked"))
        if (content._tag === "Success") expect(content.value).toMatchObject({ error: { outcome: "not executed" } })
        expect(yield* first.calls).toBe(0)

        const over: Array<Effect.Effect<unknown>> = []
        const late = yield* agent(name, async () => {
          for (const end of over) await run(end)
          return { action: "accept" }
        })
        over.push(Effect.orDie(late.sql`UPDATE approvals SET ends_at = 1 WHERE grant_id = ${late.id}`))
        expect(yield* late.use("over")).toMatchObject({ error: { code: "not_approved" } })
        expect(yield* late.calls).toBe(0)
      }).pipe(Effect.scoped)
    )
  })

  layer(gatewayThatWaits(0.2), { excludeTestServices: true, timeout: "60 seconds" })("waits not for ever", (it) => {
    it.effect("and a client that says accept by itself gets nothing", () =>
      Effect.gen(function* () {
        let asked = 0
        const { calls, use } = yield* agent(name, () => {
          asked++
          return Promise.resolve({ action: "accept", content: { approve: true, decision: "yes" } } as Answer)
        })
        const content = yield* Effect.exit(use("liar"))
        if (content._tag === "Success") expect(content.value).toMatchObject({ error: { code: "approval_required" } })
        expect(asked).toBe(1)
        expect(yield* calls).toBe(0)
      }).pipe(Effect.scoped)
    )
  })
})

const meta = (elicitation: object | undefined) => ({
  "io.modelcontextprotocol/clientCapabilities": elicitation === undefined ? {} : { elicitation }
})

layer(gatewayThatWaits(45), { excludeTestServices: true, timeout: "60 seconds" })("a call without a session", (it) => {
  const use = (token: string, query: string, more: object, elicitation: object | undefined, headers = {}) =>
    ask(
      "tools/call",
      { name: "use", arguments: called(query), ...more },
      { authorization: `Bearer ${token}`, ...headers },
      meta(elicitation)
    )

  it.effect("asks only a client that shows pages: a form is answered by software", () =>
    Effect.gen(function* () {
      const { tokens } = yield* connected
      for (const elicitation of [undefined, {}, { form: {} }, { url: null }, { url: true }]) {
        const { messages } = yield* use(tokens.access_token, "form", {}, elicitation)
        const [{ error, result } = {}] = messages
        expect(JSON.stringify(error ?? result), JSON.stringify(elicitation)).not.toContain("input_required")
      }
      const { messages } = yield* use(tokens.access_token, "form", {}, { url: {} })
      expect(messages[0]?.result).toMatchObject({
        resultType: "input_required",
        requestState: expect.stringMatching(/^ap_/u)
      })
      const byServer = { accept: "application/json;q=1, text/event-stream;q=1" }
      const same = yield* use(tokens.access_token, "form", {}, { url: {} }, byServer)
      expect(same.messages[0]?.result).toEqual(messages[0]?.result)
    })
  )

  it.effect("does not believe what the client sends back", () =>
    Effect.gen(function* () {
      const one = yield* connected
      const two = yield* connected
      const stateOf = (messages: ReadonlyArray<{ readonly result?: Readonly<Record<string, unknown>> }>) =>
        String(messages[0]?.result?.["requestState"])
      const first = yield* use(one.tokens.access_token, "mine", {}, { url: {} })
      const other = yield* use(two.tokens.access_token, "theirs", {}, { url: {} })
      const accepted = { approval: { action: "accept", content: { decision: "yes" } } }
      // Of another grant, of nobody, and not even one.
      for (const requestState of [stateOf(other.messages), `ap_${"0".repeat(32)}`, "yes", ""]) {
        const { messages } = yield* use(
          one.tokens.access_token,
          "mine",
          { requestState, inputResponses: accepted },
          { url: {} }
        )
        expect(messages[0]?.result).toMatchObject({ resultType: "input_required" })
        expect(stateOf(messages)).toBe(stateOf(first.messages))
      }
      // A yes to one request is none to another, with the same state.
      const link = `${one.baseUrl}/account/approvals/${stateOf(first.messages)}`
      yield* Effect.promise(async () => decide(await signedIn(link), link, "yes"))
      const requestState = stateOf(first.messages)
      const another = yield* use(
        one.tokens.access_token,
        "more",
        { requestState, inputResponses: accepted },
        { url: {} }
      )
      expect(another.messages[0]?.result).toMatchObject({ resultType: "input_required" })
      expect(stateOf(another.messages)).not.toBe(requestState)
      expect(yield* one.calls).toBe(0)
      const made = yield* use(one.tokens.access_token, "mine", { requestState, inputResponses: accepted }, { url: {} })
      expect(contentOf(made.messages[0]?.result)).toMatchObject({ status: 200 })
      expect(yield* one.calls).toBe(1)
    })
  )

  it.effect("waits with at most twenty others of its grant, and hinders nobody", () =>
    Effect.gen(function* () {
      const { baseUrl, calls, tokens } = yield* connected
      const { messages } = yield* use(tokens.access_token, "crowd", {}, { url: {} })
      const requestState = String(messages[0]?.result?.["requestState"])
      const waiting = yield* Effect.forEach(Array.from({ length: 100 }), () =>
        Effect.forkChild(use(tokens.access_token, "crowd", { requestState }, { url: {} }))
      )
      const codeOf = ({ messages }: Posted) =>
        (contentOf(messages[0]?.result) as { readonly error: { readonly code: string } }).error.code
      const ended = () => waiting.flatMap((fiber) => (fiber.pollUnsafe() === undefined ? [] : [fiber]))
      while (ended().length < 80) yield* Effect.sleep(10)
      const refused = yield* Effect.forEach(ended(), Fiber.join)
      expect(new Set(refused.map(codeOf))).toEqual(new Set(["approval_required"]))
      expect(refused.length).toBe(80)
      // Others, and the same grant's calls that need no yes.
      const own = yield* callTool("use", called("mine"), bearer)
      expect(own.isError).toBe(false)
      const found = yield* callTool("search", { query: "rank" }, { authorization: `Bearer ${tokens.access_token}` })
      expect(found.isError).toBe(false)
      const link = `${baseUrl}/account/approvals/${requestState}`
      yield* Effect.promise(async () => decide(await signedIn(link), link, "no"))
      const all = yield* Effect.forEach(waiting, Fiber.join)
      expect(all.filter((posted) => codeOf(posted) === "not_approved").length).toBe(20)
      expect(yield* calls).toBe(0)
    })
  )
})
