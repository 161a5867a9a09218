import { chatCompletionsStream, type PromiseClient } from "@tollgate/client"
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
})
