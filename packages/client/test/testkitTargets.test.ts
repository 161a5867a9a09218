import { type ChatCompletion, chatCompletionsStream, type PromiseClient } from "@tollgate/client"
import { reply, says, testClient } from "@tollgate/client/testing"
import { describe, expect, it } from "vitest"

describe("a gateway is scripted by any function that a program has in hand", () => {
  const hello = { model: "m", messages: [{ role: "user", content: "Hello" }] } as const

  it("one that streams, of the client and of a promise client", async () => {
    for (const pick of [() => chatCompletionsStream, (client: PromiseClient) => client.chatCompletionsStream]) {
      const { client, gateway } = testClient()
      const target = pick(client)
      gateway.price(target, "0.05").on(target, says(["The ", "Nile"], { cost: "0.01" }))
      expect(await client.chatCompletionsStream(hello).text()).toBe("The Nile")
      expect(gateway.calls(target).map(({ input }) => input.model)).toEqual(["m"])
      expect(gateway.charged).toBe("0.010000")
      gateway.check()
    }
  })

  it("one of a promise client, whose answers are typed", async () => {
    const { client, gateway } = testClient()
    gateway.on(client.rerank, ({ input }) =>
      reply({ model: "r", results: [], usage: { total_tokens: input.documents.length } })
    )
    // @ts-expect-error -- no ranking
    const wrong = () => gateway.on(client.rerank, reply("no ranking"))
    expect(wrong).toBeTypeOf("function")
    expect((await client.rerank({ query: "river", documents: ["a", "b"] })).usage.total_tokens).toBe(2)
    expect(() => gateway.on((async () => 1) as never, says([]))).toThrow("the function of one operation")
  })

  it("whose answers may be short, but not wrong", async () => {
    const { client, gateway } = testClient()
    gateway
      .on(client.chatCompletions, reply({ choices: [{ message: { content: "Rivers bend." } }] }))
      .on(client.messages, reply({ content: [{ type: "text", text: "Rivers bend." }], stop_reason: null }))
      .on(client.generateContent, reply({ candidates: [{ content: { parts: [{ text: "Rivers bend." }] } }] }))
      .on(client.generateContent, reply({ promptFeedback: { blockReason: "SAFETY" } }))
    const whole: ChatCompletion = {
      id: "1",
      object: "chat.completion",
      created: 1,
      model: "m",
      choices: [{ index: 0, finish_reason: "stop", message: { role: "assistant", content: "Hi", mood: "calm" } }],
      region: "north"
    }
    const wrong = () =>
      gateway
        // @ts-expect-error -- misspelt
        .on(client.chatCompletions, reply({ choises: [] }))
        // @ts-expect-error -- a number is no text
        .on(client.chatCompletions, reply({ choices: [{ message: { content: 3 } }] }))
        // @ts-expect-error -- an answer of another protocol
        .on(client.chatCompletions, reply({ content: [{ type: "text", text: "Rivers bend." }] }))
        // @ts-expect-error -- parts are a list
        .on(client.generateContent, reply({ candidates: [{ content: { parts: "Rivers bend." } }] }))
        // @ts-expect-error -- a stream is answered by events
        .on(client.chatCompletionsStream, reply(whole))
        // @ts-expect-error -- no tweets
        .on(client.tweetQuotes, reply({ candidates: [] }))
    expect(wrong).toBeTypeOf("function")
    gateway.price(client.chatCompletions, "0.01").on(client.chatCompletions, reply(whole))
    expect((await client.chatCompletions(hello)).choices[0]?.message.content).toBe("Hi")
  })
})
