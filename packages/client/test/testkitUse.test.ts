import { expect, it } from "vitest"
import { readdirSync, readFileSync } from "node:fs"
import { rerank } from "@tollgate/client"
import { fail, reply, reset, scriptedGateway, sequence, testClient } from "@tollgate/client/testing"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"

const question = { query: "longest river", documents: ["The Nile…", "Everest…"] } as const
const ranking = {
  model: "rerank",
  results: [{ index: 0, relevance_score: 0.9, document: { text: "The Nile…" } }],
  usage: { total_tokens: 500 }
}

it("waits for Retry-After", async () => {
  const { client, gateway, clock } = testClient()
  gateway.price(rerank, "0.000025")
  gateway.on(rerank, sequence(fail("rate_limit_exceeded", { retryAfter: "20 seconds" }), reply(ranking)))
  const answer = client.rerank(question)
  await clock.advance("19 seconds")
  expect(gateway.calls(rerank)).toHaveLength(1)
  await clock.advance("1 second")
  expect(await answer).toEqual(ranking)
  expect(gateway.charged).toBe("0.000025")
  gateway.check() // every request was scripted, and every step was used
})

it("pays once for a lost answer", async () => {
  const { client, gateway, clock } = testClient()
  clock.auto() // time jumps to the end of the next wait
  gateway.on(rerank, sequence(reset(reply(ranking, { cost: "0.01" }))))
  expect(await client.rerank(question)).toEqual(ranking)
  expect(gateway.calls(rerank).map(({ at }) => at)).toEqual([0, 250])
  expect(gateway.charged).toBe("0.010000")
})

it("gives up after three attempts", async () => {
  const gateway = scriptedGateway().on(rerank, fail("shutting_down"))
  const program = rerank(question).pipe(
    Effect.catchTag("Unavailable", ({ code, outcome }) => Effect.succeed(`${code}, ${outcome}`)),
    Effect.provide(gateway.layer({ retry: { retries: 2 } }))
  )
  const inAnHour = Effect.gen(function* () {
    const fiber = yield* Effect.forkChild(program)
    yield* TestClock.adjust("1 hour")
    return yield* Fiber.join(fiber)
  })
  const end = await Effect.runPromise(Effect.provide(inAnHour, TestClock.layer()))
  expect([end, gateway.calls(rerank).length]).toEqual(["shutting_down, not executed", 3])
})

it("the client does not import its test kit", () => {
  const src = new URL("../src/", import.meta.url)
  const files = readdirSync(src, { recursive: true, encoding: "utf8" })
  const shipped = files.filter((name) => name.endsWith(".ts") && !/^testing(\.ts$|\/)/.test(name))
  expect(shipped.length).toBeGreaterThan(50)
  for (const name of shipped)
    expect(readFileSync(new URL(name, src), "utf8"), name).not.toMatch(/from ".*\/testing[/.]/)
})
