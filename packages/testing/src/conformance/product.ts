import { spawn } from "node:child_process"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { createServer, request as send } from "node:http"
import { tmpdir } from "node:os"
import { join } from "node:path"

const program = join(import.meta.dirname, "../../../../apps/gateway/src/program.ts")
const adminToken = "an-admin-token-of-the-suite"

interface Started {
  readonly address: URL
  readonly key: string
  readonly stop: () => Promise<unknown>
}

/** The program as an operator starts it, with an empty folder. */
const startGateway = (folder: string, config: string): Promise<Started> =>
  new Promise((resolve, reject) => {
    const environment = { TOLLGATE_DATA: folder, TOLLGATE_CONFIG: config, TOLLGATE_ADMIN_TOKEN: adminToken }
    const child = spawn(process.execPath, [program, "start"], {
      env: { PATH: process.env.PATH, TOLLGATE_PORT: "0", ...environment },
      stdio: ["ignore", "pipe", "inherit"]
    })
    let printed = ""
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      printed += text
      const address = /Tollgate (http:\S+)/.exec(printed)?.[1]
      const key = /key {6}(tg_\S+)/.exec(printed)?.[1]
      if (address === undefined || key === undefined || !printed.includes("Ctrl-C")) return
      const stop = () => {
        child.kill("SIGTERM")
        return ended
      }
      resolve({ address: new URL(address), key, stop })
    })
    const ended = new Promise((end) => child.once("exit", end))
    void ended.then(() => reject(new Error("the gateway did not start")))
  })

/** The suite sends hundreds of requests in a minute. */
const withoutLimit = async (address: URL): Promise<void> => {
  const ask = async (path: string, init: RequestInit = {}) => {
    const headers = { authorization: `Bearer ${adminToken}`, "content-type": "application/json" }
    const response = await fetch(new URL(path, address), { ...init, headers })
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`)
    return (await response.json()) as { readonly accounts: ReadonlyArray<{ readonly id: string }> }
  }
  const { accounts } = await ask("/admin/v1/accounts")
  for (const { id } of accounts) {
    await ask(`/admin/v1/accounts/${id}`, { method: "PATCH", body: JSON.stringify({ rpm: 100_000 }) })
  }
}

/**
 * Serves the gateway at this port. The suite cannot send a credential, so a proxy adds it; the gateway gets all else as the suite
 * sends it. Returns how to stop it.
 */
export const startProduct = async (port: number) => {
  const folder = mkdtempSync(join(tmpdir(), "tollgate-"))
  const config = join(folder, "tollgate.jsonc")
  const origins = [`http://127.0.0.1:${port}`, `http://localhost:${port}`]
  writeFileSync(config, JSON.stringify({ tools: { origins } }))
  const { address, key, stop } = await startGateway(join(folder, "data"), config)
  await withoutLimit(address)
  const proxy = createServer((request, response) => {
    const { headers, method, url: path } = request
    const options = { host: address.hostname, port: address.port, method, path }
    const sent = send({ ...options, headers: { ...headers, authorization: `Bearer ${key}` } }, (answer) =>
      answer.pipe(response.writeHead(answer.statusCode ?? 502, answer.headers))
    )
    sent.on("error", () => response.destroy())
    response.on("close", () => sent.destroy())
    request.pipe(sent)
  })
  await new Promise<void>((ready) => proxy.listen(port, "127.0.0.1", ready))
  return async () => {
    proxy.close()
    proxy.closeAllConnections()
    await stop()
    rmSync(folder, { recursive: true, force: true })
  }
}
