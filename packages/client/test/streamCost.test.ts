import { CallAborted, chatCompletions, chatCompletionsStream } from "@tollgate/client"
import { resumable } from "@tollgate/client/resumable"
import { says, testClient } from "@tollgate/client/testing"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { describe, expect, it } from "vitest"

const input = { model: "any", messages: [{ role: "user", content: "Hello" }] } as const
const cost = "it may be charged: `charge` tells by its requestId what it cost"

const start = (step: ReturnType<typeof says>) => {
  const made = testClient()
  made.gateway.on(chatCompletions, step)
  return made
}

const failureOf = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => undefined,
    (error: unknown) => error
  )

describe("a stream that broke says how to learn its cost", () => {
  const goOn = `${cost}; one that is \`resumable\` goes on by itself)`

  it.each(["reset", "cut"] as const)("with promises and with Effect, after %s", async (end) => {
    const { client, gateway, layer } = start(says(["Hel"], { end }))
    const read = Effect.runPromise(
      Effect.flip(Stream.runDrain(chatCompletionsStream(input))).pipe(Effect.provide(layer))
    )
    for (const error of [await failureOf(client.chatCompletionsStream(input).text()), await read]) {
      expect(error).toMatchObject({
        _tag: "StreamTruncated",
        outcome: "executed",
        requestId: expect.stringMatching(/^req_/),
        message: expect.stringMatching(new RegExp(`^The [^(]+ \\(${goOn.replace(")", "\\)")}$`))
      })
      const copy: unknown = structuredClone(error)
      expect([String(error), JSON.stringify(error), (copy as Error).message].every((text) => text.includes(goOn))).toBe(
        true
      )
    }
    expect(gateway.requests).toHaveLength(2)
  })

  it("after silence", async () => {
    const { client, clock } = start(says(["Hel"], { end: "hang" }))
    const left = failureOf(client.chatCompletionsStream(input, { idleTimeout: "1 minute" }).text())
    await clock.advance("2 minutes")
    expect(await left).toMatchObject({ _tag: "StreamTimedOut", message: `Nothing arrived for 60000 ms (${goOn}` })
  })

  it("and is not told to be what it was", async () => {
    const { client } = start(says(["Hel"], { end: "cut" }))
    const error = await failureOf(client.chatCompletionsStream(input, { resumable: resumable() }).text())
    expect(error).toMatchObject({ message: `The stream ended before its last event (${cost})` })
  })

  it("unless it has the charge", async () => {
    const { client } = start(says(["Hel"], { end: "upstream_failed", cost: "0.001" }))
    const error = await failureOf(client.chatCompletionsStream(input).text())
    expect(error).toMatchObject({ _tag: "StreamFailed", charge: { micros: 1_000 } })
    expect((error as Error).message).not.toContain("charge")
  })
})

describe("an aborted stream", () => {
  it("has its request id, and says how to learn its cost", async () => {
    const { client, clock } = start(says(["Hel", "lo"], { every: "1 minute" }))
    const controller = new AbortController()
    const stream = client.chatCompletionsStream(input, { signal: controller.signal })
    const left = failureOf(stream.text())
    await clock.advance("61 seconds")
    controller.abort()
    const error = await left
    const { requestId } = await stream.response()
    expect(requestId).toMatch(/^req_/)
    expect(error).toBeInstanceOf(CallAborted)
    expect(error).toMatchObject({ outcome: "executed", requestId, message: `The call was aborted (${cost})` })
    expect(error).not.toHaveProperty("charge")
  })

  it("has neither before it began", async () => {
    const { client } = start(says(["Hello"]))
    const error = await failureOf(client.chatCompletionsStream(input, { signal: AbortSignal.abort() }).text())
    expect(error).toMatchObject({ outcome: "not executed", message: "The call was aborted" })
    expect(error).not.toHaveProperty("requestId")
  })
})
