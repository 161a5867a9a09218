import { once } from "node:events"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { afterAll, describe, expect, it } from "vitest"
import { hasNginx, startNginx, stopNginx } from "./nginx.ts"
import { removeFolders } from "./program.ts"

const stubs: Array<() => void> = []

afterAll(async () => {
  await stopNginx()
  for (const close of stubs) close()
  removeFolders()
})

/** Answers with its name, in place of a gateway. */
const stub = async (name: string) => {
  const server = createServer((_, response) => response.end(name)).listen(0, "127.0.0.1")
  await once(server, "listening")
  const close = () => {
    server.close()
    server.closeAllConnections()
  }
  stubs.push(close)
  return { host: `127.0.0.1:${(server.address() as AddressInfo).port}`, close }
}

const lines = (...hosts: ReadonlyArray<string>) => hosts.map((host) => `server ${host} max_fails=0;\n`).join("")

describe.runIf(hasNginx)("nginx in front of the gateways", () => {
  it("sends a session of the tool server to the gateway that began it", async () => {
    const [one, other] = await Promise.all([stub("one"), stub("other")])
    const { address } = await startNginx(lines(one.host, other.host))
    const ask = async (headers: Record<string, string>) =>
      (await fetch(`${address}/mcp`, { method: "POST", headers })).text()
    const seen = new Set<string>()
    for (let i = 0; i < 40; i++) {
      const authorization = `Bearer tg_${i}`
      const began = await ask({ authorization })
      expect(await ask({ authorization, "mcp-session-id": `session ${i}` })).toBe(began)
      seen.add(began)
    }
    expect(seen.size).toBe(2)
  })

  it("sends no call again that a gateway has read before it died, whatever its method", async () => {
    let calls = 0
    const dying = async () => {
      const server = createServer((request, response) => {
        if (request.url === "/healthz") return void response.end()
        calls++
        request.socket.destroy()
      }).listen(0, "127.0.0.1")
      await once(server, "listening")
      stubs.push(() => server.close())
      return `127.0.0.1:${(server.address() as AddressInfo).port}`
    }
    const { address } = await startNginx(lines(await dying(), await dying()))
    for (const method of ["GET", "POST"]) {
      calls = 0
      expect((await fetch(`${address}/v1/models`, { method })).status).toBe(502)
      expect([method, calls]).toEqual([method, 1])
    }
  })

  it("writes no key into its logs that a caller sends in the address, also if no gateway answers", async () => {
    const one = await stub("one")
    const { address, log } = await startNginx(lines(one.host))
    const ask = async () => (await fetch(`${address}/v1beta/models?key=tg_secret`)).status
    expect(await ask()).toBe(200)
    one.close()
    expect(await ask()).toBe(502)
    // It writes the line after the answer.
    await expect.poll(log).toContain("/v1beta/models 502")
    expect(log()).not.toContain("tg_secret")
  })
})
