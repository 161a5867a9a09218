import { chatCompletions, chatCompletionsStream, promises, responsesStream } from "@tollgate/client"
import { cancelStream, resumable, resumeStream, type ResumeToken } from "@tollgate/client/resumable"
import { says, testClient } from "@tollgate/client/testing"
import { describe, expect, it } from "vitest"

const input = { model: "any", messages: [{ role: "user", content: "Hello" }] } as const
const token: ResumeToken = { operation: "chat.completions", idempotencyKey: "k1", input }

describe("a token", () => {
  it.each([
    ["a key", { operation: token.operation, input }],
    ["a key that says something", { ...token, idempotencyKey: "" }],
    ["an operation", { idempotencyKey: "k1", input }]
  ])("without %s is refused", (_, stored) => {
    expect(() => resumable(stored as ResumeToken)).toThrow("store what token() returns")
  })

  it("of another operation is refused before anything is sent", async () => {
    const { client, gateway, layer } = testClient()
    const own = promises({ responsesStream }, layer)
    const kept = resumable(token)
    for (const resume of [
      () => resumeStream(responsesStream, kept),
      () => resumeStream(client.responsesStream, kept),
      () => resumeStream(own.responsesStream, kept),
      () => cancelStream(client.responsesStream, kept)
    ]) {
      expect(resume).toThrow("This token is for a stream of chat.completions, not of responses")
    }
    await Promise.all([client.close(), own.close()])
    expect(gateway.requests).toEqual([])
  })

  it("that nothing was stored in is none", () => {
    expect(() => resumeStream(chatCompletionsStream, resumable(null))).toThrow("There is no stream to resume")
  })

  it("of a request that never arrived begins the stream under its key", async () => {
    const { client, gateway } = testClient()
    gateway.on(chatCompletions, says(["Hello"], { cost: "0.001" }))
    expect(await resumeStream(client.chatCompletionsStream, resumable(token)).text()).toBe("Hello")
    expect(gateway.requests.map(({ idempotencyKey }) => idempotencyKey)).toEqual(["k1"])
    expect(gateway.charged).toBe("0.001000")
  })
})
