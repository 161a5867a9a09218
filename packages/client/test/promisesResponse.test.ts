import { describe, expect, it } from "@effect/vitest"
import { OutcomeUnknown } from "@tollgate/client"
import { clientOf } from "@tollgate/client/promises/createClient"
import { answer, inOrder, refusal } from "./attempts.ts"
import { fail, question, ranking, scripted } from "./scripted.ts"
import { choice, data, events, hang } from "./streamScripted.ts"

const charged = {
  "x-tollgate-cost-micros-usd": "40",
  "x-tollgate-cost-state": "settled",
  "x-request-id": "req_1",
  "x-ratelimit-remaining-requests": "7"
}

describe("the response of a call", () => {
  it("has the value, what it cost, and what else the answer says", async () => {
    const client = clientOf(scripted(answer(200, ranking, charged)).layer)
    const call = client.rerank(question)
    const { cost, headers, limits, replayed, requestId, status, value } = await call.withResponse()
    expect(value).toEqual(await call)
    expect({ cost, replayed, requestId, status }).toEqual({
      cost: { state: "settled", micros: 40, usd: "0.00004" },
      replayed: false,
      requestId: "req_1",
      status: 200
    })
    expect(limits).toEqual({ remainingRequests: 7 })
    expect(headers).toMatchObject(charged)
    await client.close()
  })

  it("is that of each call alone, however they overlap", async () => {
    const { layer } = scripted((request, url, signal) =>
      answer(200, ranking, { "x-request-id": String(request.headers["x-n"]) })(request, url, signal)
    )
    const client = clientOf(layer)
    const numbers = Array.from({ length: 20 }, (_, n) => String(n))
    const ids = await Promise.all(
      numbers.map(async (n) => (await client.rerank(question, { headers: { "x-n": n } }).withResponse()).requestId)
    )
    expect(ids).toEqual(numbers)
    await client.close()
  })

  it("rejects with the error of a call that fails", async () => {
    const client = clientOf(scripted(refusal(402, "over_cap")).layer)
    await expect(client.rerank(question).withResponse()).rejects.toMatchObject({ _tag: "OverBudget" })
    await client.close()
  })
})

describe("the response of a stream", () => {
  const input = { model: "m", messages: [] }

  it("sends the request if nobody has read yet, and resolves when the answer begins", async () => {
    const cost = ": cost_micros_usd=12 cost_state=settled\n\n"
    const { layer, sent } = events([data(choice("a"), choice("b"), "[DONE]") + cost], {}, charged)
    const client = clientOf(layer)
    const stream = client.chatCompletionsStream(input)
    const [first, again] = await Promise.all([stream.response(), stream.response()])
    expect(first).toMatchObject({ status: 200, requestId: "req_1", limits: { remainingRequests: 7 } })
    expect([again, first.cost.state, sent.length]).toEqual([first, "unknown", 1])
    expect(await stream.text()).toBe("ab")
    expect((await stream.response()).cost).toEqual({ state: "settled", micros: 12, usd: "0.000012" })
    expect(sent).toHaveLength(1)
    await client.close()
  })

  it("rejects before reading if the stream is refused, and so does reading", async () => {
    const client = clientOf(scripted(refusal(402, "over_cap")).layer)
    const stream = client.chatCompletionsStream(input)
    await expect(stream.response()).rejects.toMatchObject({ _tag: "OverBudget" })
    await expect(stream.text()).rejects.toMatchObject({ _tag: "OverBudget" })
    await client.close()
  })

  it("resolves when the stream has ended", async () => {
    const { layer } = events([data(choice("a"), "[DONE]")], {}, { "x-request-id": "req_1" })
    const client = clientOf(layer)
    const stream = client.chatCompletionsStream(input)
    const response = stream.response()
    expect(await stream.text()).toBe("a")
    expect(await response).toMatchObject({ status: 200, requestId: "req_1" })
    expect(await stream.response()).toEqual(await response)
    await client.close()
  })

  it.each([
    ["breaks", [data(choice("a")), new Error("cut")]],
    ["is left", [data(choice("a")), hang]]
  ])("resolves when the stream %s", async (how, steps) => {
    const client = clientOf(events(steps, {}, { "x-request-id": "req_1" }).layer)
    const stream = client.chatCompletionsStream(input)
    const reading = (async () => {
      for await (const _ of stream) if (how === "is left") break
    })()
    await (how === "is left" ? reading : expect(reading).rejects.toMatchObject({ events: 1 }))
    expect(await stream.response()).toMatchObject({ status: 200, requestId: "req_1", cost: { state: "unknown" } })
    await client.close()
  })

  it("rejects if the stream never began", async () => {
    const client = clientOf(scripted(refusal(402, "over_cap")).layer)
    const stream = client.chatCompletionsStream(input)
    await expect(stream.text()).rejects.toMatchObject({ _tag: "OverBudget" })
    await expect(stream.response()).rejects.toMatchObject({ _tag: "OverBudget" })
    await client.close()
  })
})

describe("resume", () => {
  it("sends the same input under the same key, and returns the outcome", async () => {
    const { layer, sent } = scripted(inOrder(fail(new Error("cut")), answer(200, ranking, charged)))
    const client = clientOf(layer)
    const error: unknown = await client.rerank(question, { maxPrice: "0.01" }).catch((error: unknown) => error)
    expect(error).toBeInstanceOf(OutcomeUnknown)
    const { cost, value } = await client.resume.rerank(error).withResponse()
    expect(value).toEqual(ranking)
    expect(cost).toEqual({ state: "settled", micros: 40, usd: "0.00004" })
    const [first, second] = sent.map(({ request }) => request)
    for (const name of ["idempotency-key", "x-tollgate-max-price-usd"]) {
      expect(first?.headers[name]).toBeDefined()
      expect(second?.headers[name]).toBe(first?.headers[name])
    }
    expect(second?.body.toJSON()).toEqual(first?.body.toJSON())
    await client.close()
  })

  it("of an error from elsewhere says what to do instead", async () => {
    const { layer } = scripted(answer(200, ranking))
    const client = clientOf(layer)
    for (const error of [new Error("mine"), undefined, "text"]) {
      await expect(client.resume.rerank(error)).rejects.toMatchObject({
        _tag: "InputInvalid",
        message: expect.stringContaining("idempotencyKey")
      })
    }
    await client.close()
  })

  it("exists for billed functions and streams only", async () => {
    const client = clientOf(scripted(answer(200, ranking)).layer)
    const names = Object.keys(client.resume)
    expect(names).toEqual(expect.arrayContaining([...Object.keys(client.quote), "chatCompletionsStream"]))
    expect(names).not.toContain("modelList")
    expect(names).not.toContain("tweetQuotesItems")
    await client.close()
  })
})
