import { connect } from "node:net"
import { text } from "node:stream/consumers"
import { afterAll, beforeAll, expect, it } from "vitest"
import { addressIn, folder, removeFolders } from "./program.ts"
import { type Gateway, startGateway } from "./tollgate.ts"

let gateway: Gateway
let address: string

beforeAll(async () => {
  gateway = await startGateway({ TOLLGATE_DATA: folder() })
  address = addressIn(gateway.banner)
})
afterAll(async () => {
  await gateway.stop()
  removeFolders()
})

const seen = new Set<string>()

/** A request id is on the answer, and on no answer before. */
const expectNew = (id: string | null | undefined) => {
  expect(id).toMatch(/^req_\w{10,}$/)
  expect(seen.size).not.toBe(seen.add(String(id)).size)
}

it.each([
  "/",
  "/healthz",
  "/platform/authorize",
  "/videos/none.mp4",
  "/mcp",
  "/account",
  "/oauth/none",
  "/.well-known/oauth-protected-resource",
  "/.well-known/oauth-authorization-server",
  "/admin/v1/accounts",
  "/api/contracts/version",
  "/v1/models",
  "/nothing"
])("every answer of %s has an id of its own", async (path) => {
  for (const method of ["GET", "HEAD", "POST", "OPTIONS", "GET"]) {
    const answer = await fetch(address + path, { method })
    expectNew(answer.headers.get("x-request-id"))
  }
})

it("a page that is refused because of its address' limit has an id", async () => {
  for (let i = 0; i < 1_000; i++) {
    const answer = await fetch(address)
    if (answer.status !== 429) continue
    expectNew(answer.headers.get("x-request-id"))
    return
  }
  expect.unreachable()
})

it.each(["GET / HTTP/1.1\r\n\r\n", "nonsense\r\n\r\n", "GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n"])(
  "a request that HTTP does not allow has an id: %j",
  async (request) => {
    const socket = connect(Number(new URL(address).port), "127.0.0.1")
    socket.end(request)
    const [, id] = /^X-Request-ID: (\S+)$/im.exec(await text(socket)) ?? []
    expectNew(id)
  }
)
