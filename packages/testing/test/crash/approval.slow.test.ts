import { describe, expect, it } from "@effect/vitest"
import { PostgresClient } from "@tollgate/server/postgres"
import { startKilledAtApproval, startUpstream, waitForExit } from "@tollgate/testing/crash/process"
import { codeOf, connected, linkIn, tokenOf } from "@tollgate/testing/oauth/approving"
import { Browser } from "@tollgate/testing/oauth/Browser"
import { OAuthGateway } from "@tollgate/testing/oauth/OAuthGateway"
import { hasPostgres, migratedDatabase } from "@tollgate/testing/store/postgres"
import { key } from "@tollgate/testing/TestGateway"
import { providerAt } from "@tollgate/testing/upstream"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

const temporaryFile = Effect.map(
  Effect.acquireRelease(
    Effect.sync(() => mkdtempSync(join(tmpdir(), "tollgate-approval-"))),
    (path) => Effect.sync(() => rmSync(path, { recursive: true }))
  ),
  (folder) => join(folder, "tollgate.db")
)

const stores = [
  { name: "SQLite", has: true, store: temporaryFile },
  { name: "PostgreSQL", has: hasPostgres, store: Effect.map(migratedDatabase, Redacted.value) }
]

const storeAt = (store: string) =>
  store.startsWith("postgres")
    ? { store: PostgresClient.layer({ address: Redacted.make(store) }) }
    : { filename: store }

type Headers = Readonly<Record<string, string>>

/** The request that needs approval, at this gateway. */
const send = (gateway: string, token: string, headers: Headers) =>
  Effect.promise(async () => {
    const response = await fetch(`${gateway}/v1/rerank`, {
      method: "POST",
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json", ...headers },
      body: JSON.stringify({ query: "the river", documents: ["river mountain sea shore ".repeat(50)], top_n: 1 })
    })
    return { status: response.status, text: await response.text() }
  })

interface Shown {
  readonly id: string
  readonly state: string
  readonly call: string | null
}

const account = <A>(gateway: string, path: string, body?: object) =>
  Effect.promise(async () => {
    const response = await fetch(`${gateway}/account/v1/approvals${path}`, {
      method: body === undefined ? "GET" : "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      ...(body === undefined ? {} : { body: JSON.stringify(body) })
    })
    return (await response.json()) as A
  })

const approve = (gateway: string, link: string) =>
  account<Shown>(gateway, `/${link.slice(link.lastIndexOf("/") + 1)}/decide`, { decision: "yes" })

/** What the page tells the person. */
const pageOf = (gateway: string, link: string) =>
  Effect.promise(async () => {
    const page = `${gateway}${new URL(link).pathname}`
    const browser = new Browser()
    const html = await (await browser.fetch(page)).text()
    await browser.post(`${page}/sign-in`, { token: tokenOf(html, `${page}/sign-in`), key })
    return (await (await browser.fetch(page)).text()).replaceAll(/\s+/g, " ")
  })

/** The calls in the ledger, and the money of the account. */
const books = Effect.gen(function* () {
  const { account, accounts, sql } = yield* OAuthGateway
  const calls = yield* sql<{ readonly id: string; readonly state: string; readonly charged: number | string }>`
    SELECT id, state, charged FROM calls WHERE state <> 'replayed' AND owner <> ''`
  const { balance, reserved } = yield* accounts.get(account)
  return { calls, balance, reserved }
})

/**
 * A person approves a call. The gateway that gets the call is killed when it has used the approval and has reserved nothing. `after` runs
 * with the next gateway.
 */
const killed = <A>(
  place: string,
  headers: Headers,
  after: (world: {
    readonly link: string
    /** The balance before the call. */
    readonly before: bigint
    readonly gateway: string
    readonly again: (headers?: Headers) => ReturnType<typeof send>
    readonly executed: Effect.Effect<number>
  }) => Effect.Effect<A, unknown, OAuthGateway>
) =>
  Effect.gen(function* () {
    const upstream = yield* Effect.acquireRelease(
      Effect.promise(() => startUpstream()),
      ({ stop }) => Effect.sync(stop)
    )
    const providers = { rerank: providerAt(Number(new URL(upstream.baseUrl).port)) }
    const { baseUrl, before, link, token } = yield* Effect.gen(function* () {
      const { baseUrl, tokens } = yield* connected
      const token = tokens.access_token
      const link = linkIn((yield* send(baseUrl, token, headers)).text)
      expect((yield* approve(baseUrl, link)).state).toBe("allowed")
      return { baseUrl, link, token, before: yield* books }
    }).pipe(Effect.provide(OAuthGateway.layer({ ...storeAt(place), providers })))

    const dying = yield* Effect.promise(() => startKilledAtApproval(place, upstream.baseUrl, baseUrl))
    expect((yield* Effect.exit(send(dying.baseUrl, token, headers)))._tag).toBe("Failure")
    yield* Effect.promise(() => waitForExit(dying.child))
    expect(dying.child.signalCode).toBe("SIGKILL")

    return yield* Effect.gen(function* () {
      const { listening } = yield* OAuthGateway
      const executed = Effect.map(
        Effect.promise(() => upstream.entries()),
        (entries) => entries.length
      )
      expect(yield* executed).toBe(0)
      expect(before).toMatchObject({ calls: [], reserved: 0n })
      expect(yield* books).toEqual(before)
      return yield* after({
        link,
        before: before.balance,
        gateway: listening,
        again: (other = headers) => send(listening, token, other),
        executed
      })
    }).pipe(Effect.provide(OAuthGateway.layer({ ...storeAt(place), baseUrl, providers })))
  }).pipe(Effect.scoped)

describe.each(stores.filter(({ has }) => has))(
  "a gateway is killed when a call has used its approval and has reserved nothing, on $name",
  ({ store }) => {
    it.live("with an idempotency key, a repeat uses the approval, once", () =>
      Effect.gen(function* () {
        const headers = { "idempotency-key": "one", "x-tollgate-idempotency-mode": "replay" }
        yield* killed(yield* store, headers, ({ again, before, executed, gateway, link }) =>
          Effect.gen(function* () {
            expect(yield* pageOf(gateway, link)).toContain("You approved this call. It was not made yet.")
            // Nobody else can use it.
            expect((yield* again({})).status).toBe(403)
            expect((yield* again({ "idempotency-key": "two" })).status).toBe(403)

            const made = yield* again()
            expect([made.status, (yield* again()).text]).toEqual([200, made.text])
            expect((yield* again({})).status).toBe(403)
            expect(yield* executed).toBe(1)
            const { balance, calls, reserved } = yield* books
            expect(calls.map(({ state }) => state)).toEqual(["settled"])
            expect([before - balance, reserved]).toEqual([BigInt(calls[0]?.charged ?? 0), 0n])
            expect(before - balance).toBeGreaterThan(0n)

            const { approvals } = yield* account<{ readonly approvals: ReadonlyArray<Shown> }>(gateway, "")
            expect(approvals.filter(({ state }) => state === "used").map(({ call }) => call)).toEqual([calls[0]?.id])
            expect(yield* pageOf(gateway, link)).toContain(`and it was made: <code>${calls[0]?.id}</code>`)
          })
        )
      }).pipe(Effect.scoped)
    )

    it.live("without one, the person is told that nothing was made, and asked again", () =>
      Effect.gen(function* () {
        yield* killed(yield* store, {}, ({ again, executed, gateway, link }) =>
          Effect.gen(function* () {
            expect(yield* pageOf(gateway, link)).toContain("it was not made: the gateway stopped")
            const asked = yield* again()
            expect([asked.status, codeOf(asked.text)]).toEqual([403, "approval_required"])
            const next = linkIn(asked.text)
            expect(next).not.toBe(link)
            const { approvals } = yield* account<{ readonly approvals: ReadonlyArray<Shown> }>(gateway, "")
            expect(approvals.map(({ call, state }) => [state, call])).toEqual([
              ["waiting", null],
              ["ended", null]
            ])

            yield* approve(gateway, next)
            expect((yield* again()).status).toBe(200)
            expect((yield* again()).status).toBe(403)
            expect(yield* executed).toBe(1)
            expect((yield* books).calls.map(({ state }) => state)).toEqual(["settled"])
          })
        )
      }).pipe(Effect.scoped)
    )
  }
)
