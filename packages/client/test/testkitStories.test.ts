import { describe, expect, it } from "vitest"
import {
  BudgetExceeded,
  chatCompletions,
  OutcomeUnknown,
  type PromiseClient,
  rerank,
  taskGet,
  tweetQuotes,
  videoCreate
} from "@tollgate/client"
import {
  fail,
  later,
  raw,
  reply,
  reset,
  says,
  type ScriptedGateway,
  sequence,
  testClient,
  type VirtualClock
} from "@tollgate/client/testing"
import { question, ranking } from "./scripted.ts"
import { task } from "./videoScripted.ts"

const start = (): { client: PromiseClient; gateway: ScriptedGateway; clock: VirtualClock } => {
  const made = testClient()
  made.clock.auto()
  return made
}

const times = (gateway: ScriptedGateway) => gateway.requests.map(({ at }) => at)

const failure = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => "no failure",
    (error: unknown) => error
  )

describe("a program under test", () => {
  it("retries after a 503 with the client's waits", async () => {
    const { client, gateway } = start()
    gateway.on(rerank, sequence(fail("shutting_down"), fail("billing_unavailable"), reply(ranking)))
    await expect(client.rerank(question)).resolves.toEqual(ranking)
    expect(times(gateway)).toEqual([0, 250, 750])
    gateway.check()
  })

  it("waits on the same clock in its own retry loop", async () => {
    const stubborn = async (client: PromiseClient, sleep: VirtualClock["sleep"]): Promise<number> => {
      for (let tries = 1; ; tries++) {
        const error = await failure(client.rerank(question))
        if (error === "no failure") return tries
        await sleep("5 minutes")
      }
    }
    const { client, gateway, clock } = start()
    gateway.on(rerank, sequence(raw(500, "oops"), raw(500, "oops"), reply(ranking)))
    expect(await stubborn(client, clock.sleep)).toBe(3)
    expect(times(gateway)).toEqual([0, 300_000, 600_000])
  })

  it("shows the progress of a video", async () => {
    const { client, gateway, clock } = start()
    gateway.on(videoCreate, task("PENDING"))
    gateway.on(taskGet, ({ at }) => task(at < 5_000 ? "PENDING" : at < 15_000 ? "RUNNING" : "SUCCEEDED"))
    const shown: Array<string> = []
    const { output } = await client.videoCreate({ model: "any", input: { prompt: "a river" } })
    for await (const { elapsedMillis, status } of client.videoProgress(output.task_id)) {
      shown.push(`${elapsedMillis / 1000} s: ${status}`)
    }
    expect(shown).toEqual(["3 s: PENDING", "7 s: RUNNING", "11 s: RUNNING", "15 s: SUCCEEDED"])
    expect(clock.now()).toBe(15_000)
  })

  it("sees that a video failed, was canceled, timed out or is unknown", async () => {
    const { client, gateway } = start()
    gateway.on(videoCreate, task("PENDING"))
    for (const [step, tag] of [
      [task("FAILED", { code: "Prompt.Refused", message: "No." }), "VideoFailed"],
      [task("CANCELED"), "VideoCanceled"],
      [task("RUNNING"), "VideoTimedOut"]
    ] as const) {
      gateway.on(taskGet, step)
      const error = await failure(client.generateVideo({ model: "any", input: { prompt: "" } }))
      expect(error).toMatchObject({ _tag: tag })
    }
    gateway.on(taskGet, task("UNKNOWN"))
    expect(await failure(client.awaitVideo("task_1"))).toMatchObject({ _tag: "VideoLost" })
  })

  it("spends no more than its budget", async () => {
    const { client, gateway } = start()
    gateway.price(tweetQuotes, "0.004").on(tweetQuotes, reply({ tweets: [], has_next_page: false }))
    const thrifty = client.withBudget("0.01")
    await thrifty.tweetQuotes({ tweetId: "1" })
    await thrifty.tweetQuotes({ tweetId: "2" })
    const error = await failure(thrifty.tweetQuotes({ tweetId: "3" }))
    expect(error).toBeInstanceOf(BudgetExceeded)
    expect(error).toMatchObject({ most: { usd: "0.004" }, left: { usd: "0.002" } })
    expect([gateway.quotes(tweetQuotes).length, gateway.calls(tweetQuotes).length]).toEqual([3, 2])
    expect(gateway.charged).toBe("0.008000")
  })

  it("resolves an unknown outcome by calling with the same key", async () => {
    const input = { model: "any", input: { prompt: "a river" } }
    const careful = async (client: PromiseClient): Promise<string> => {
      const made = await client.videoCreate(input).catch((error: unknown) => {
        if (!(error instanceof OutcomeUnknown)) throw error
        return client.videoCreate(input, { idempotencyKey: error.idempotencyKey ?? "" })
      })
      return made.output.task_id
    }
    const { client, gateway } = start()
    gateway.on(videoCreate, sequence(reset(task("PENDING", { cost: "0.05" }))))
    expect(await careful(client)).toBe("task_1")
    const [first, second] = gateway.calls(videoCreate)
    expect(second?.idempotencyKey).toBe(first?.idempotencyKey)
    expect(gateway.charged).toBe("0.050000")
    gateway.check()
  })

  it("keeps the events before a stream was cut", async () => {
    const { client, gateway, clock } = start()
    const received: Array<string> = []
    const read = async () => {
      for await (const event of client.chatCompletionsStream({ model: "any", messages: [] }))
        received.push(JSON.stringify(event))
    }
    for (const [end, tag] of [
      ["cut", "StreamTruncated"],
      ["reset", "StreamTruncated"],
      ["hang", "StreamTimedOut"],
      ["upstream_failed", "StreamFailed"]
    ] as const) {
      gateway.on(chatCompletions, says(["The ", "Ni"], { end, cost: "0.001" }))
      expect(await failure(read())).toMatchObject({ _tag: tag, events: 2, outcome: "executed" })
    }
    expect(await failure(read())).toMatchObject({ charge: { state: "estimated", micros: 1_000 } })
    expect(received).toHaveLength(10)
    expect(clock.now()).toBe(300_000)
    expect(gateway.charged).toBe("0.005000")
  })

  it("gets the whole of a stream that drips for longer than a call may take", async () => {
    const { client, gateway, clock } = start()
    const words = Array.from({ length: 200 }, (_, i) => `word ${i} `)
    gateway.on(chatCompletions, says(words, { every: "4 seconds" }))
    expect(await client.chatCompletionsStream({ model: "any", messages: [] }).text()).toBe(words.join(""))
    expect(clock.now()).toBeGreaterThan(600_000)
  })

  it("reads pages until it has enough items", async () => {
    const { client, gateway } = start()
    gateway.on(tweetQuotes, ({ input: { cursor = "0" } }) => {
      const next = String(Number(cursor) + 1)
      return reply(
        { tweets: [{ id: cursor }, { id: `${cursor}b` }], has_next_page: true, next_cursor: next },
        { cost: "0.001" }
      )
    })
    const ids: Array<string | null | undefined> = []
    for await (const { id } of client.tweetQuotesItems({ tweetId: "7" })) {
      ids.push(id)
      if (ids.length === 5) break
    }
    expect(ids).toEqual(["0", "0b", "1", "1b", "2"])
    expect(gateway.calls(tweetQuotes).map(({ input }) => input.cursor)).toEqual([undefined, "1", "2"])
    expect(gateway.charged).toBe("0.003000")
  })

  it("aborts a call, whose outcome is then unknown under its key", async () => {
    const { client, clock, gateway } = testClient()
    gateway.on(rerank, later("10 seconds", reply(ranking)))
    const leaving = new AbortController()
    const left = failure(client.rerank(question, { signal: leaving.signal, idempotencyKey: "order 7" }))
    await clock.advance("5 seconds")
    leaving.abort()
    expect(await left).toMatchObject({ name: "AbortError", outcome: "unknown", idempotencyKey: "order 7" })
    const again = await failure(client.rerank(question, { idempotencyKey: "order 7" }))
    expect(again).toMatchObject({ _tag: "OutcomeUnknown", code: "idempotency_unknown" })
    expect(clock.now()).toBe(5_000)
  })
})

describe("the clock", () => {
  it("moves only when advanced, and ends each wait at its own moment", async () => {
    const { clock } = testClient()
    const woken: Array<string> = []
    const wait = async (name: string, ...millis: ReadonlyArray<number>) => {
      for (const each of millis) {
        await clock.sleep(each)
        woken.push(`${name} ${clock.now()}`)
      }
    }
    const all = Promise.all([wait("a", 100, 100, 100), wait("b", 150, 100), wait("c", 1_000)])
    expect(clock.now()).toBe(0)
    await clock.advance(300)
    expect(woken).toEqual(["a 100", "b 150", "a 200", "b 250", "a 300"])
    await clock.advance("1 hour")
    await all
    expect(woken.at(-1)).toBe("c 1000")
    expect(clock.now()).toBe(3_600_300)
  })

  it("jumps only to the next wait, and not while calls run", async () => {
    const { client, clock, gateway } = start()
    gateway.on(rerank, reply(ranking))
    const chain = async () => {
      for (let i = 0; i < 50; i++) {
        await client.rerank(question)
        for (let i = 0; i < 3; i++) await new Promise((resume) => setImmediate(resume))
      }
      return clock.now()
    }
    const [ended] = await Promise.all([chain(), clock.sleep("1 minute")])
    expect([ended, clock.now()]).toEqual([0, 60_000])
  })
})
