import { describe, expect, it } from "vitest"
import { createClient as overFetch } from "@tollgate/client"
import { Carrier } from "@tollgate/contract/carrier/Carrier"
import * as HttpCarrier from "@tollgate/contract/carrier/HttpCarrier"
import { createClient as overNode } from "@tollgate/node"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as FetchHttpClient from "effect/http/FetchHttpClient"
import * as Layer from "effect/Layer"
import { once } from "node:events"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"

/** A server that begins one stream and never goes on. `closed`: its reader has left. */
const beginning = async () => {
  const closed = Promise.withResolvers<void>()
  const server = createServer((request, response) => {
    response.on("close", closed.resolve)
    request.resume()
    response.writeHead(200, { "content-type": "text/event-stream" }).flushHeaders()
  })
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  const { port } = server.address() as AddressInfo
  const stop = () => {
    server.closeAllConnections()
    server.close()
  }
  return { baseUrl: `http://127.0.0.1:${port}`, closed: closed.promise, stop }
}

const input = { model: "any", messages: [{ role: "user" as const, content: "Why do rivers bend?" }] }

describe.each([
  ["fetch", overFetch],
  ["Node", overNode]
] as const)("over %s", (_, createClient) => {
  it.each([true, false])("a stream that is aborted at its head, paced: %s, closes its connection", async (isPaced) => {
    const { baseUrl, closed, stop } = await beginning()
    const controller = new AbortController()
    const client = createClient({
      credential: "tg_any-credential",
      baseUrl,
      ...(isPaced ? {} : { pace: false }),
      afterResponse: () => controller.abort()
    })
    const text = client.chatCompletionsStream(input, { signal: controller.signal }).text()
    await expect(text).rejects.toMatchObject({ _tag: "CallAborted", outcome: "unknown" })
    // The client is still open, so only the end of the stream can have closed it.
    await closed
    await client.close()
    stop()
  })

  it.each([0, 1])("a stream whose response was awaited, left after %s turns, closes its connection", async (turns) => {
    const { baseUrl, closed, stop } = await beginning()
    const client = createClient({ credential: "tg_any-credential", baseUrl })
    const stream = client.chatCompletionsStream(input)
    // No event has arrived.
    expect((await stream.response()).status).toBe(200)
    for (let turn = 0; turn < turns; turn++) await new Promise((resolve) => setImmediate(resolve))
    await stream[Symbol.asyncIterator]().return?.()
    await closed
    await client.close()
    stop()
  })
})

it("a carrier over an HTTP client closes the connection of a stream that is left when its head arrives", async () => {
  const { baseUrl, closed, stop } = await beginning()
  const carried = Effect.gen(function* () {
    const { carry } = yield* Carrier
    const isStreamed = () => {
      fiber.interruptUnsafe()
      return true
    }
    const outgoing = {
      method: "GET",
      origin: baseUrl,
      path: "/",
      headers: {},
      body: undefined,
      isStreamed,
      private: true
    }
    return yield* carry({ ...outgoing, deadlineMillis: 60_000, idleMillis: 60_000 })
  }).pipe(Effect.provide(HttpCarrier.layer.pipe(Layer.provide(FetchHttpClient.layer))))
  const fiber = Effect.runFork(carried)
  const exit = await Effect.runPromise(Fiber.await(fiber))
  expect(Exit.isFailure(exit) && Cause.hasInterrupts(exit.cause)).toBe(true)
  await closed
  stop()
})
