import { expect, it } from "@effect/vitest"
import { chromium, hasChromium } from "@tollgate/testing/chromium"
import { signIn } from "@tollgate/testing/console/consolePage"
import { gatewayProgram } from "@tollgate/testing/console/gatewayProgram"
import * as Effect from "effect/Effect"
import { createServer, request } from "node:http"
import type { AddressInfo } from "node:net"

const prefix = "/tolls"

/** A proxy that serves a gateway below a path, which it takes away. */
const proxy = Effect.acquireRelease(
  Effect.callback<{ readonly url: string; target: string; readonly close: () => void }>((resume) => {
    const started = { url: "", target: "", close: () => void server.close() }
    const server = createServer((incoming, answer) => {
      const { headers, method, url = "" } = incoming
      if (!url.startsWith(`${prefix}/`)) return void answer.writeHead(404).end()
      const outgoing = request(`${started.target}${url.slice(prefix.length)}`, { method, headers }, (response) => {
        answer.writeHead(response.statusCode ?? 502, response.headers)
        response.pipe(answer)
      })
      incoming.pipe(outgoing)
    })
    server.listen(0, "127.0.0.1", () => {
      started.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}${prefix}`
      resume(Effect.succeed(started))
    })
  }),
  ({ close }) => Effect.sync(close)
)

it.live.skipIf(!hasChromium)("in Chromium the console works below a path of another server", () =>
  Effect.gen(function* () {
    const server = yield* proxy
    const { address, key } = yield* gatewayProgram({ env: { TOLLGATE_BASE_URL: server.url } })
    server.target = address
    const browser = yield* chromium
    yield* Effect.promise(async () => {
      const tab = await browser.newPage()
      const wrong: Array<string> = []
      tab.on("pageerror", (error) => wrong.push(String(error)))
      tab.on("response", (response) => {
        if (response.status() === 404) wrong.push(response.url())
      })
      await tab.goto(`${server.url}/limits`)
      await tab.waitForURL(`${server.url}/sign-in?to=*`)
      await signIn(tab, key)
      await tab.getByRole("heading", { level: 1, name: "Limits" }).waitFor()
      expect(tab.url()).toBe(`${server.url}/limits`)
      await tab.getByRole("link", { name: "Calls" }).click()
      await tab.getByRole("heading", { level: 1, name: "Calls" }).waitFor()
      expect(tab.url()).toBe(`${server.url}/calls`)
      expect(await tab.getByRole("link", { name: "Documentation" }).getAttribute("href")).toBe(`${prefix}/docs`)
      expect(wrong).toEqual([])
    })
  }).pipe(Effect.scoped)
)
