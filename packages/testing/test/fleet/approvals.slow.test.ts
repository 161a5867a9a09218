import { describe, expect, it } from "@effect/vitest"
import { micro } from "@tollgate/contract/Money"
import { PostgresClient } from "@tollgate/server/postgres"
import { call, quote } from "@tollgate/testing/oauth/call"
import { connected, decide, linkIn, signedIn } from "@tollgate/testing/oauth/approving"
import { OAuthGateway } from "@tollgate/testing/oauth/OAuthGateway"
import { type Revision, waitingAgent } from "@tollgate/testing/oauth/waitingAgent"
import { hasPostgres, migratedDatabase } from "@tollgate/testing/store/postgres"
import { key } from "@tollgate/testing/TestGateway"
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"

/** Two gateways at one address on one PostgreSQL store, and a client whose every billed call needs approval. */
const fleet = Effect.gen(function* () {
  const address = yield* migratedDatabase
  const begin = (baseUrl?: string) =>
    Effect.map(
      Layer.build(
        Layer.fresh(
          OAuthGateway.layer({
            store: PostgresClient.layer({ address }),
            ...(baseUrl === undefined ? {} : { baseUrl })
          })
        )
      ),
      (built) => Context.get(built, OAuthGateway)
    )
  const first = yield* begin()
  const second = yield* begin(first.baseUrl)
  const client = yield* Effect.provideService(connected, OAuthGateway, first)
  const both = [first.listening, second.listening]
  const at = (i: number) => both[i % 2] ?? ""
  return {
    ...client,
    at,
    first,
    second,
    /** Sends the same request this many times at once, half of them to each gateway. */
    race: (query: string, count: number) =>
      Effect.promise(() =>
        Promise.all(
          Array.from({ length: count }, async (_, i) => {
            const response = await fetch(`${at(i)}/v1/rerank`, {
              method: "POST",
              headers: { authorization: `Bearer ${client.tokens.access_token}`, "content-type": "application/json" },
              body: JSON.stringify({ query, documents: ["river mountain sea shore ".repeat(50)], top_n: 1 })
            })
            await response.text()
            return response.status
          })
        )
      ),
    decideAt: (gateway: string, id: string, decision: "yes" | "no") =>
      Effect.promise(async () => {
        const response = await fetch(`${gateway}/account/v1/approvals/${id}/decide`, {
          method: "POST",
          headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
          body: JSON.stringify({ decision })
        })
        const { state } = (await response.json()) as { readonly state?: string }
        return { status: response.status, state }
      })
  }
})

const idIn = (text: string): string => /ap_\w{32}/.exec(text)?.[0] ?? ""

const made = (statuses: ReadonlyArray<number>): number => statuses.filter((status) => status === 200).length

describe.runIf(hasPostgres)("with two gateways, a call that needs approval", () => {
  it.live.each<Revision>(["with a session", "2026-07-28"])(
    "waits at one for the yes given at the other, %s",
    (revision) =>
      Effect.gen(function* () {
        const { calls, second, tokens } = yield* fleet
        yield* Effect.promise(async () => {
          const agent = await waitingAgent(second.listening, tokens.access_token, revision)
          const used = agent.use({
            operation_id: "rerank",
            arguments: { query: "elsewhere", documents: ["river mountain sea shore ".repeat(50)] },
            max_price_usd: 0.5
          })
          const link = await agent.shown
          // The page is at the other gateway.
          expect(new URL(link).origin).not.toBe(second.listening)
          await decide(await signedIn(link), link, "yes")
          expect(await used).toMatchObject({ status: 200, cost: { state: "settled" } })
          await agent.close()
        })
        expect(yield* calls).toBe(1)
      }).pipe(Effect.scoped)
  )

  it.live("is decided once: two yes allow one call, and of yes and no the first counts everywhere", () =>
    Effect.gen(function* () {
      const { ask, at, calls, decideAt, race } = yield* fleet
      let allowed = 0
      for (const [round, decisions] of (
        [
          ["yes", "yes"],
          ["yes", "no"],
          ["no", "yes"],
          ["yes", "no"],
          ["no", "yes"]
        ] as const
      ).entries()) {
        const query = `round ${round}`
        const id = idIn((yield* ask(query)).text)
        const answers = yield* Effect.all(
          decisions.map((decision, i) => decideAt(at(i), id, decision)),
          { concurrency: "unbounded" }
        )
        const counted = answers.filter(({ status }) => status === 200)
        expect(counted).toHaveLength(decisions[0] === decisions[1] ? 2 : 1)
        expect(new Set(counted.map(({ state }) => state)).size).toBe(1)
        const isAllowed = counted[0]?.state === "allowed"
        expect(made(yield* race(query, 30)), query).toBe(isAllowed ? 1 : 0)
        allowed += isAllowed ? 1 : 0
        expect(yield* calls).toBe(allowed)
      }
    }).pipe(Effect.scoped)
  )

  it.live("is made at most once if access ends while it is allowed and sent, and never after that", () =>
    Effect.gen(function* () {
      const { ask, at, calls, decideAt, id: grant, race, second } = yield* fleet
      const id = idIn((yield* ask("the end")).text)
      const [statuses] = yield* Effect.all(
        [race("the end", 30), decideAt(at(0), id, "yes"), second.grants.revoke(grant)],
        { concurrency: "unbounded" }
      )
      const before = made(statuses)
      expect(before).toBeLessThanOrEqual(1)
      expect(yield* calls).toBe(before)
      expect(new Set(yield* race("the end", 10))).toEqual(new Set([401]))
      expect(yield* calls).toBe(before)
    }).pipe(Effect.scoped)
  )

  it.live("is made once if both gateways find the approval before one of them uses it", () =>
    Effect.gen(function* () {
      const { ask, at, calls, decideAt, race, sql } = yield* fleet
      const id = idIn((yield* ask("one moment")).text)
      yield* decideAt(at(0), id, "yes")
      const isHeld = yield* Deferred.make<void>()
      const isFree = yield* Deferred.make<void>()
      const held = sql.withTransaction(
        Effect.gen(function* () {
          yield* sql`SELECT id FROM approvals WHERE id = ${id} FOR UPDATE`
          yield* Deferred.succeed(isHeld, undefined)
          yield* Deferred.await(isFree)
        })
      )
      yield* Effect.forkScoped(held)
      yield* Deferred.await(isHeld)
      const racing = yield* Effect.forkScoped(race("one moment", 2))
      const waiting = sql`SELECT pid FROM pg_stat_activity WHERE datname = current_database()
        AND wait_event_type = 'Lock' AND query LIKE 'UPDATE approvals%'`
      while ((yield* waiting).length < 2) yield* Effect.sleep("20 millis")
      yield* Deferred.succeed(isFree, undefined)
      expect((yield* Fiber.join(racing)).toSorted()).toEqual([200, 403])
      expect(yield* calls).toBe(1)
    }).pipe(Effect.scoped)
  )

  it.live("waits with at most twenty others of its grant, whichever gateway was asked", () =>
    Effect.gen(function* () {
      const { at, id, sql, tokens } = yield* fleet
      const texts = yield* Effect.promise(() =>
        Promise.all(
          Array.from({ length: 60 }, async (_, i) => {
            const response = await fetch(`${at(i)}/v1/rerank`, {
              method: "POST",
              headers: { authorization: `Bearer ${tokens.access_token}`, "content-type": "application/json" },
              body: JSON.stringify({ query: `many ${i}`, documents: ["river mountain sea shore ".repeat(50)] })
            })
            return response.text()
          })
        )
      )
      expect(new Set(texts.map(linkIn).filter((link) => link !== "")).size).toBe(20)
      expect(yield* sql`SELECT id FROM approvals WHERE grant_id = ${id}`).toHaveLength(20)
    }).pipe(Effect.scoped)
  )
})

describe.runIf(hasPostgres)("with two gateways, a machine", () => {
  it.live("gets tokens from both, spends no more than it was given, and ends at both", () =>
    Effect.gen(function* () {
      const { account, at, first, second } = yield* fleet
      const given = { account, name: "Nightly report", readsUsage: false, limit: micro(1_000_000n) }
      const { grant, secret } = yield* first.machines.create(given)
      const token = (gateway: string) =>
        Effect.promise(async () => {
          const answer = await fetch(`${gateway}/oauth/token`, {
            method: "POST",
            headers: { authorization: `Basic ${btoa(`${grant.client.id}:${Redacted.value(secret)}`)}` },
            body: new URLSearchParams({ grant_type: "client_credentials" })
          })
          const { access_token = "" } = (await answer.json()) as { readonly access_token?: string }
          return { status: answer.status, token: access_token }
        })
      const tokens = yield* Effect.forEach([0, 1], (i) => token(at(i)))
      expect(tokens.map(({ status }) => status)).toEqual([200, 200])
      const race = (count: number) =>
        Effect.promise(() =>
          Promise.all(
            Array.from({ length: count }, async (_, i) => (await call(at(i >> 1), tokens[i % 2]?.token ?? "")).status)
          )
        )
      expect(made(yield* race(1))).toBe(1)
      const spent = Effect.map(second.grants.find(grant.id), (found) => Option.getOrThrow(found).spent)
      const price = yield* spent
      const most = yield* Effect.promise(() => quote(at(0), tokens[0]?.token ?? ""))
      yield* second.grants.change(grant.id, { limit: micro(price + BigInt(most) + 1n) })
      expect(made(yield* race(200))).toBe(1)
      expect(yield* spent).toBe(price + price)
      yield* second.grants.revoke(grant.id)
      expect(new Set(yield* race(4))).toEqual(new Set([401]))
      expect((yield* Effect.forEach([0, 1], (i) => token(at(i)))).map(({ status }) => status)).toEqual([401, 401])
    }).pipe(Effect.scoped)
  )
})
