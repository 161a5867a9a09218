import { decide, signedIn } from "@tollgate/testing/oauth/approving"
import { TestClient } from "@tollgate/testing/oauth/client"
import { type Revision, waitingAgent } from "@tollgate/testing/oauth/waitingAgent"
import { afterAll, describe, expect, it } from "vitest"
import { addressIn, folder, keyIn, type Program, removeFolders, start } from "./program.ts"

afterAll(removeFolders)

const adminToken = "an-admin-token-of-some-length"

const admin = async <A>(address: string, path: string, init: RequestInit = {}): Promise<A> => {
  const headers = { authorization: `Bearer ${adminToken}`, "content-type": "application/json" }
  return (await fetch(`${address}/admin/v1${path}`, { ...init, headers })).json() as Promise<A>
}

interface Account {
  readonly balance_micros_usd: number
  readonly reserved_micros_usd: number
}

const accountAt = async (address: string): Promise<Account | undefined> =>
  (await admin<{ readonly accounts: ReadonlyArray<Account> }>(address, "/accounts")).accounts[0]

const begin = async (data: string, port: string): Promise<Program & { readonly banner: string }> => {
  const program = start({
    TOLLGATE_DATA: data,
    TOLLGATE_PORT: port,
    TOLLGATE_ADMIN_TOKEN: adminToken,
    // The client sends its call again after it was asked: it gets an answer then, too.
    TOLLGATE_DRAIN_SECONDS: "2"
  })
  return { ...program, banner: await program.started }
}

const call = {
  operation_id: "rerank",
  arguments: { query: "by itself", documents: ["river mountain sea shore ".repeat(50)] },
  max_price_usd: 0.5,
  idempotency_key: "once"
}

/** A program, and an agent whose call waits there for the yes of a person. */
const waiting = async (revision: Revision) => {
  const data = folder()
  const program = await begin(data, "0")
  const address = addressIn(program.banner)
  const key = keyIn(program.banner)
  const client = await TestClient.register(address)
  const { access_token } = await client.signIn({ key })
  const { grants } = await admin<{ readonly grants: ReadonlyArray<{ readonly id: string }> }>(address, "/grants")
  const body = JSON.stringify({ ask_above_micros_usd: 1 })
  await admin(address, `/grants/${grants[0]?.id ?? ""}`, { method: "PATCH", body })
  const before = await accountAt(address)
  const agent = await waitingAgent(address, access_token, revision)
  const used = agent.use(call).catch((error: unknown) => error)
  const link = await agent.shown
  return {
    before,
    link,
    program,
    used,
    leave: agent.close,
    again: () => begin(data, new URL(address).port),
    /** The call as an agent sends it after the next start. */
    repeat: async () => {
      const next = await waitingAgent(address, access_token, revision)
      const result = await next.use(call)
      await next.close()
      return result
    },
    key,
    address
  }
}

type Waiting = Awaited<ReturnType<typeof waiting>>

/** The next start: nothing was charged or is reserved, the question is open, and a yes lets the call be made once. */
const goesOn = async ({ address, again, before, key, link, repeat }: Waiting) => {
  const next = await again()
  try {
    expect(await accountAt(address)).toEqual(before)
    expect(before?.reserved_micros_usd).toBe(0)
    const browser = await signedIn(link, key)
    const page = await decide(browser, link, "yes")
    expect(page.before).toContain("Approve this call")
    expect(page.after).toContain("It was not made yet.")
    expect(await repeat()).toMatchObject({ status: 200, cost: { state: "settled" } })
    expect(await (await browser.fetch(link)).text()).toContain("and it was made")
    const charged = (await accountAt(address))?.balance_micros_usd ?? 0
    expect(charged).toBeLessThan(before?.balance_micros_usd ?? 0)
    expect(await repeat()).toMatchObject({ status: 200, replayed: true })
    expect((await accountAt(address))?.balance_micros_usd).toBe(charged)
  } finally {
    await next.stop()
  }
}

describe.each<Revision>(["with a session", "2026-07-28"])("a call that waits for approval, %s", (revision) => {
  it("ends as not executed when the gateway is stopped, and can be made by the next one", async () => {
    const world = await waiting(revision)
    const ended = await world.program.stop()
    expect([ended.code, ended.stderr]).toEqual([0, ""])
    expect(await world.used).toMatchObject({
      error: { code: "shutting_down", outcome: "not executed", repeat: "safe" }
    })
    await goesOn(world)
  })

  it("leaves nothing behind when the gateway is killed", async () => {
    const world = await waiting(revision)
    world.program.child.kill("SIGKILL")
    await world.program.ended
    // With a session, the client of MCP would wait a minute for an answer that nobody sends.
    await world.leave()
    expect(await world.used).toBeInstanceOf(Error)
    await goesOn(world)
  })
})
