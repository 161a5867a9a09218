import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { afterEach, describe, expect, it, vi } from "vitest"
import { createClient, OutcomeUnknown, Policy, TransportFailed } from "@tollgate/client"
import { credential, question } from "./scripted.ts"

const errorOf = (options: Parameters<typeof createClient>[0]): Promise<unknown> =>
  createClient({ credential, retry: Policy.none, ...options })
    .rerank(question)
    .catch((error: unknown) => error)

/** A port that nothing listens on. */
const freePort = async (): Promise<number> => {
  const server = createServer()
  await new Promise<void>((ready) => server.listen(0, "127.0.0.1", ready))
  const { port } = server.address() as AddressInfo
  await new Promise((closed) => server.close(closed))
  return port
}

const failingWith = (cause: unknown) => vi.stubGlobal("fetch", () => Promise.reject(cause))

afterEach(() => vi.unstubAllGlobals())

describe("over fetch, a call to a gateway that is down", () => {
  it("was not sent: nothing listens there", async () => {
    const error = await errorOf({ baseUrl: `http://127.0.0.1:${await freePort()}` })
    expect(error).toBeInstanceOf(TransportFailed)
    expect(error).toMatchObject({ outcome: "not executed", operation: "rerank" })
    expect(String(error)).toContain("could not be sent: connect ECONNREFUSED")
  })

  it.each(["ECONNREFUSED", "ENOTFOUND", "EAI_AGAIN", "UND_ERR_CONNECT_TIMEOUT", "ConnectionRefused"])(
    "was not sent: %s, at some depth",
    async (code) => {
      const bottom = Object.assign(new Error(""), { code })
      for (const error of [bottom, new TypeError("fetch failed", { cause: bottom })]) {
        failingWith(error)
        const message = `The request could not be sent: ${code}`
        expect(await errorOf({})).toMatchObject({ _tag: "TransportFailed", outcome: "not executed", message })
      }
    }
  )

  it("may have been sent if the cause proves nothing", async () => {
    const cyclic = new Error("cyclic")
    cyclic.cause = cyclic
    for (const cause of [new TypeError("Failed to fetch"), Object.assign(new Error(), { code: "ECONNRESET" }), cyclic]) {
      failingWith(cause)
      expect(await errorOf({})).toBeInstanceOf(OutcomeUnknown)
    }
  })

  it("may have been sent by a fetch of the program's own, which may have tried before", async () => {
    const fetch = () => Promise.reject(Object.assign(new Error(), { code: "ECONNREFUSED" }))
    expect(await errorOf({ fetch })).toBeInstanceOf(OutcomeUnknown)
  })
})
