import { createServer, type ServerResponse } from "node:http"
import { writeFileSync } from "node:fs"
import type { AddressInfo } from "node:net"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { afterAll, expect, it } from "vitest"
import { addressIn, folder, keyIn, removeFolders } from "./program.ts"
import { programs } from "./programs.ts"

const run = programs()
afterAll(removeFolders)

const data = (value: object) => `data: ${JSON.stringify(value)}\n\n`
const word = (content: string) => data({ choices: [{ index: 0, delta: { content } }] })
const end =
  data({ choices: [{ index: 0, delta: {}, finish_reason: "stop" }] }) +
  data({ choices: [], usage: { prompt_tokens: 10, completion_tokens: 20, total_tokens: 30 } }) +
  "data: [DONE]\n\n"

/** An upstream that sends two words of each stream, and the rest when the test says so. */
const startUpstream = async () => {
  const streams: Array<ServerResponse> = []
  const server = createServer((req, res) => {
    req.resume().once("end", () => {
      streams.push(res)
      res.writeHead(200, { "content-type": "text/event-stream" }).write(word("Because") + word(" of"))
    })
  })
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening))
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    streams,
    close: () => {
      server.close()
      server.closeAllConnections()
    }
  }
}

/** A gateway whose caller has read two words of a stream that can be resumed. */
const begun = async () => {
  const upstream = await startUpstream()
  const config = join(folder(), "tollgate.jsonc")
  writeFileSync(
    config,
    JSON.stringify({
      upstreams: { slow: { baseUrl: upstream.baseUrl, protocol: "openai", private: true } },
      routes: [{ operation: "chat.completions", model: "slow", to: [{ upstream: "slow" }] }],
      prices: { models: { slow: { input: "1", output: "1" } } },
      sandbox: true
    })
  )
  const env = { TOLLGATE_DATA: folder(), TOLLGATE_CONFIG: config }
  const program = run(env)
  const banner = await program.started
  const key = keyIn(banner)
  const ask = (address: string, last?: string) =>
    fetch(`${address}/v1/chat/completions`, {
      method: "POST",
      headers: {
        authorization: `Bearer ${key}`,
        "content-type": "application/json",
        "idempotency-key": "one",
        "x-tollgate-resumable": "true",
        ...(last === undefined ? {} : { "last-event-id": last })
      },
      body: JSON.stringify({ model: "slow", stream: true, messages: [{ role: "user", content: "Why?" }] })
    })
  const reader = (await ask(addressIn(banner))).body!.pipeThrough(new TextDecoderStream()).getReader()
  let text = ""
  while (!text.includes(" of")) text += (await reader.read()).value ?? ""
  return {
    upstream,
    program,
    address: addressIn(banner),
    ask,
    reader,
    text,
    again: () => run(env),
    /** How its calls ended. */
    calls: () => {
      const database = new DatabaseSync(join(env.TOLLGATE_DATA, "tollgate.db"), { readOnly: true })
      const rows = database.prepare("SELECT state, cost_state, charged FROM calls WHERE owner <> ''").all()
      database.close()
      return rows
    }
  }
}

const refusesConnections = (address: string) =>
  fetch(address).then(
    () => false,
    () => true
  )

it("SIGTERM lets a stream that can be resumed end first, for a caller who reads it", async () => {
  const { address, calls, program, reader, text, upstream } = await begun()
  program.child.kill("SIGTERM")
  while (!(await refusesConnections(address)));
  expect(program.child.exitCode).toBe(null)
  upstream.streams[0]?.end(word(" water.") + end)
  let all = text
  for (let read = await reader.read(); !read.done; read = await reader.read()) all += read.value
  expect(all).toMatch(/ water\..*\[DONE\].*cost_micros_usd=30 cost_state=settled/s)
  expect([...all.matchAll(/^id: (\d+)$/gm)].map(([, id]) => id)).toEqual(["1", "2", "3", "4", "5"])
  const { code, stderr } = await program.ended
  expect([code, stderr]).toEqual([0, ""])
  expect(calls()).toEqual([{ state: "settled", cost_state: "settled", charged: 30 }])
  upstream.close()
})

it("SIGTERM charges a stream once whose caller is away, and the next start does not execute it again", async () => {
  const { again, ask, calls, program, reader, upstream } = await begun()
  await reader.cancel()
  program.child.kill("SIGTERM")
  const { code, stderr } = await program.ended
  expect([code, stderr]).toEqual([0, ""])
  const ended = calls()
  expect(ended).toMatchObject([{ state: "settled", cost_state: "estimated" }])
  expect(Number(ended[0]?.["charged"])).toBeGreaterThan(0)
  const next = again()
  const answer = await ask(addressIn(await next.started), "2")
  expect([answer.status, await answer.json()]).toMatchObject([409, { error: { code: "idempotency_completed" } }])
  await next.stop()
  expect(upstream.streams).toHaveLength(1)
  expect(calls()).toEqual(ended)
  upstream.close()
})
