import { createClient as fetchClient } from "@tollgate/client"
import { createClient as nodeClient } from "@tollgate/node"
import { once } from "node:events"
import { createServer, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import { inspect } from "node:util"
import { afterAll, beforeAll, describe, expect, it } from "vitest"

const credential = "tg_c4n4rysecretsecretsecretsecretsecretsecr"

/** Repeats the request's credential in every header, in the body and in the events; the path says how it answers. */
const server: Server = createServer((request, response) => {
  const echo = request.headers.authorization ?? ""
  const encoded = encodeURIComponent(echo).replaceAll("s", "%73")
  const error = { message: `${echo} and ${encoded}`, code: echo, type: encoded }
  response.setHeader("x-request-id", echo)
  response.setHeader("x-echo", [echo, encoded])
  if (request.url?.includes("rerank") === true) {
    response.writeHead(418, { "content-type": "application/json" }).end(JSON.stringify({ error, [echo]: echo }))
    return
  }
  response.writeHead(200, { "content-type": "text/event-stream" })
  response.write(`data: {"choices":[{"index":0,"delta":{"content":"a"}}]}\n\n`)
  response.end(`data: ${JSON.stringify({ error })}\n\n`)
})

beforeAll(async () => {
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
})
afterAll(() => server.close())

const failureOf = (run: () => Promise<unknown>) =>
  run().then(
    () => undefined,
    (error: unknown) => error
  )

const texts = (error: unknown) =>
  [
    inspect(error, { depth: 20, showHidden: true }),
    inspect(error, { depth: 20, showHidden: true, customInspect: false }),
    JSON.stringify(error),
    String(error)
  ].join("\n")

describe.each([
  ["over undici", nodeClient],
  ["over fetch", fetchClient]
] as const)("a gateway that repeats the credential, %s", (_, createClient) => {
  it.each(["a whole answer", "a stream"])("does not put it into the error of %s", async (kind) => {
    const { port } = server.address() as AddressInfo
    const client = createClient({ credential, baseUrl: `http://127.0.0.1:${port}`, retry: { retries: 0 } })
    const error = await failureOf(async () => {
      if (kind === "a whole answer") return client.rerank({ query: "q", documents: ["d"] })
      for await (const _ of client.chatCompletionsStream({ model: "m", messages: [] }));
      return undefined
    })
    await client.close()
    expect(error).toMatchObject({ _tag: kind === "a whole answer" ? "UnexpectedStatus" : "StreamFailed" })
    expect(texts(error)).toContain("Bearer [credential]")
    expect(texts(error)).not.toContain(credential)
    expect(texts(error)).not.toContain("%73ecret")
  })
})
