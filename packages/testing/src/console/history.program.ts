/**
 * Starts the gateway with two months of calls behind it: `node packages/testing/src/console/history.program.ts`. It is the program
 * as it is, on a clock that starts 60 days ago and is moved on between the calls.
 */
import { mkdtempSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { Account, NewKey } from "@tollgate/contract/admin/Account"
import { adminToken } from "./operator.ts"

const hour = 3_600_000
const hours = 60 * 24
const systemNow = Date.now
let behind = hours * hour
Date.now = () => systemNow() - behind

const address = `http://127.0.0.1:${(process.env.TOLLGATE_PORT ??= "8787")}`
process.env.TOLLGATE_DATA ??= mkdtempSync(join(tmpdir(), "tollgate-history-"))
process.env.TOLLGATE_ADMIN_TOKEN ??= adminToken
await import(join(import.meta.dirname, "../../../../apps/gateway/src/main.ts"))

const request = (path: string, credential: string, body: object, headers: Readonly<Record<string, string>> = {}) =>
  fetch(`${address}${path}`, {
    method: "POST",
    headers: { authorization: `Bearer ${credential}`, "content-type": "application/json", ...headers },
    body: JSON.stringify(body)
  })

const admin = async <A>(path: string, body: object): Promise<A> => {
  const answer = await request(`/admin/v1${path}`, adminToken, body)
  return (await answer.json()) as A
}

const started = async (): Promise<void> => {
  while (true) {
    const answer = await fetch(`${address}/healthz`).catch(() => undefined)
    if (answer?.ok === true) return
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}

/** The same history each time. */
let seed = 7
const random = (): number => {
  seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31
  return seed / 2 ** 31
}

const questions = ["Why do rivers bend?", "Summarise the meeting.", "Write a subject line.", "Translate this page."]
const notes = "The river carries sand from the outer bank to the inner one, a little each year. ".repeat(40)
const chat = () => ({
  model: "sandbox",
  messages: [{ role: "user", content: `${questions[Math.floor(random() * 4)]} ${notes}` }]
})
const rerank = () => ({
  query: "rivers",
  documents: Array.from({ length: 40 }, (_, n) => `Rivers bend, says page ${n}.`)
})
const scenario = (value: string) => ({ "x-tollgate-scenario": value })

type Call = readonly [share: number, path: string, body: () => object, headers?: Readonly<Record<string, string>>]

const streamed = () => ({ ...chat(), stream: true, stream_options: { include_usage: true } })

const calls: ReadonlyArray<Call> = [
  [0.36, "/v1/chat/completions", streamed, scenario("long; events=400")],
  [0.2, "/v1/chat/completions", chat],
  [0.18, "/v1/rerank", rerank],
  [0.14, "/v1/messages", () => ({ ...chat(), max_tokens: 400 })],
  [0.03, "/v1/images/generations", () => ({ model: "sandbox", prompt: "A river at dawn", n: 1 })],
  [0.04, "/v1/chat/completions", chat, scenario("status; code=503")],
  [0.03, "/v1/chat/completions", chat, scenario("reset")],
  [0.02, "/v1/chat/completions", () => ({ messages: "none" })]
]

const callOf = (): Call => {
  let left = random()
  return calls.find(([share]) => (left -= share) < 0) ?? [1, "/v1/rerank", rerank]
}

/** People work by day, less on weekends, and more each week. */
const callsIn = (time: Date): number => {
  const worksNow = Math.max(0, Math.sin(((time.getUTCHours() - 6) / 14) * Math.PI))
  const isWeekend = time.getUTCDay() % 6 === 0
  return Math.round(worksNow * (isWeekend ? 0.8 : 3) * (1.6 - behind / (hours * hour)) * (0.5 + random()))
}

/** An account with a key for each label. */
const customer = async (label: string, usd: number, labels: ReadonlyArray<string>) => {
  const { id } = await admin<Account>("/accounts", { label })
  await admin(`/accounts/${id}/topups`, { amount_micros_usd: usd * 1_000_000, note: "bank transfer" })
  return Promise.all(labels.map(async (label) => (await admin<NewKey>(`/accounts/${id}/keys`, { label })).key))
}

await started()
const own = await customer("Riverside Press", 200, ["web app", "nightly index", "laptop"])
const others = [
  ...(await customer("Northwind", 50, ["production"])),
  ...(await customer("Acme", 1_000, ["crawler", "staging"]))
]

for (; behind > 0; behind = Math.max(0, behind - hour)) {
  const keys = Array.from({ length: callsIn(new Date(Date.now())) }, () => {
    const from = random() < 0.75 ? own : others
    return from[Math.floor(random() ** 2 * from.length)] ?? ""
  })
  for (const key of keys) {
    const [, path, body, headers] = callOf()
    await request(path, key, body(), headers).then((answer) => answer.arrayBuffer())
  }
}
process.stdout.write(`  history  60 days, of the key ${own[0]}\n`)
