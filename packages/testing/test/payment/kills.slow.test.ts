import { describe, expect, it } from "@effect/vitest"
import { GatewayProcess } from "@tollgate/testing/fleet/GatewayProcess"
import { pause, pick, seeded } from "@tollgate/testing/fleet/seeded"
import { hasPostgres, migratedDatabase } from "@tollgate/testing/store/postgres"
import * as StripeStandIn from "@tollgate/testing/StripeStandIn"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { execFile } from "node:child_process"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { promisify } from "node:util"
import { onDemand } from "@tollgate-tooling/programs/onDemand.ts"

type Fields = Readonly<Record<string, unknown>>

const program = await onDemand("gateway")
const adminToken = "an-admin-token-of-some-length"
const key = "tg_00000000000000000000000000000000s858ht0"
const cent = 10_000
const sum = (all: ReadonlyArray<number>) => all.reduce((total, one) => total + one, 0)

/** What Stripe took back, in micro-USD. */
const takenBack = (stripe: StripeStandIn.StripeStandIn) => {
  const refunds = stripe.all("refund").filter(({ status }) => status !== "failed")
  const disputes = stripe.all("dispute").filter(({ status }) => status !== "won")
  return sum([...refunds, ...disputes].map(({ amount }) => Number(amount))) * cent
}

/** Lists have the last 500. */
const mostPayments = 150
const mostAdjustments = 100

/** Customers pay, are given money back and charge it back, and operators change things, while gateways are killed. */
const campaign = async (
  stripe: StripeStandIn.StripeStandIn,
  count: number,
  store: Readonly<Record<string, string>>,
  kills: number
) => {
  const folder = mkdtempSync(join(tmpdir(), "tollgate-payments-"))
  const file = join(folder, "tollgate.jsonc")
  const secrets = { secretKey: { env: "STRIPE_KEY" }, events: { env: "STRIPE_EVENTS" } }
  const payments = { stripe: { ...secrets, url: stripe.baseUrl, private: true }, transfer: "IBAN XX00" }
  writeFileSync(file, JSON.stringify({ sandbox: true, payments }))
  const env = {
    TOLLGATE_DATA: join(folder, "data"),
    TOLLGATE_CONFIG: file,
    TOLLGATE_ADMIN_TOKEN: adminToken,
    TOLLGATE_BOOTSTRAP_KEY: key,
    STRIPE_KEY: stripe.key,
    STRIPE_EVENTS: stripe.eventSecret,
    ...store
  }
  const random = seeded(50)
  const gateways = Array.from({ length: count }, (_, i) => new GatewayProcess(`gateway${i}`, env, folder))
  await gateways[0]!.start()
  for (const gateway of gateways.slice(1)) await gateway.start()

  const anyOf = () => pick(random, gateways)
  /** `undefined`: nobody knows whether it was done. */
  const send = async (credential: string, method: string, path: string, body?: object) => {
    try {
      const answer = await fetch(`${anyOf().address}${path}`, {
        method,
        headers: { authorization: `Bearer ${credential}`, "content-type": "application/json" },
        ...(body === undefined ? {} : { body: JSON.stringify(body) })
      })
      return { status: answer.status, body: (await answer.json()) as Fields }
    } catch {
      return undefined
    }
  }
  const admin = (method: string, path: string, body?: object) => send(adminToken, method, `/admin/v1${path}`, body)
  const account = (method: string, path: string, body?: object) => send(key, method, `/account/v1${path}`, body)
  const surely = async (ask: () => ReturnType<typeof send>): Promise<Fields> => {
    for (;;) {
      const answer = await ask()
      if (answer !== undefined && answer.status < 500 && answer.status !== 429) return answer.body
      await pause(50)
    }
  }

  let isOver = false
  let asked = 0
  const refunds: Array<readonly [payment: string, id: string]> = []
  const adjustments: Array<string> = []
  const customer = async () => {
    while (!isOver && asked < mostPayments) {
      await pause(80 + random() * 120)
      const amount = (500 + Math.floor(random() * 2_000)) * cent
      const by = random() < 0.2 ? "invoice" : "card"
      const made = await account("POST", "/payments", { amount_micros_usd: amount, by, save_card: random() < 0.5 })
      if (made?.status !== 201) continue
      asked++
      const id = String(made.body.id)
      if (by === "invoice") {
        await admin("POST", `/payments/${id}/paid`, { note: "transfer" })
        continue
      }
      const session = String(made.body.url).split("/").at(-1)!
      const reference = stripe.all("checkout.session").find(({ id: one }) => session.includes(one))?.id
      if (reference === undefined) throw new Error(`no session in ${session}`)
      const what = random()
      if (what < 0.1) stripe.expire(reference)
      else if (what < 0.2) stripe.decline(reference)
      else if (what < 0.3) await admin("POST", `/payments/${id}/void`, { note: "changed their mind" })
      else {
        stripe.pay(reference)
        await pause(random() * 60)
        const next = random()
        if (next < 0.15) stripe.refundInDashboard(reference, 100)
        else if (next < 0.3) stripe.closeDispute(stripe.dispute(reference), next < 0.22 ? "won" : "lost")
        else if (next < 0.6) {
          refunds.push([id, `r${asked}`])
          await admin("POST", `/payments/${id}/refunds`, { amount_micros_usd: 200 * cent, note: "x", id: `r${asked}` })
        } else if (next < 0.85) {
          // A part is given back, then the bank takes all of it, and nobody tells the gateway.
          const to = stripe.eventsTo
          stripe.eventsTo = undefined
          stripe.refundInDashboard(reference, 100)
          const dispute = stripe.dispute(reference)
          if (next < 0.65) stripe.closeDispute(dispute, "won")
          stripe.eventsTo = to
        }
      }
    }
  }
  const operator = async (owner: string) => {
    for (let n = 0; !isOver && n < mostAdjustments; n++) {
      await pause(100 + random() * 150)
      const id = `spend-${n}`
      adjustments.push(id)
      await admin("POST", `/accounts/${owner}/adjustments`, { amount_micros_usd: -100 * cent, note: "spent", id })
      await admin("PATCH", `/accounts/${owner}`, { label: `name ${n}` })
      await admin("POST", `/accounts/${owner}/keys`, { label: `key ${n}` })
    }
  }

  const owner = String(((await surely(() => account("GET", ""))).account as Fields).id)
  stripe.eventsTo = `${anyOf().address}/payments/events`
  // A card to charge by itself.
  while ((await surely(() => account("GET", "/payments"))).card === null) {
    const { url } = await surely(() =>
      account("POST", "/payments", { amount_micros_usd: 1_000 * cent, by: "card", save_card: true })
    )
    stripe.pay(stripe.all("checkout.session").find(({ id }) => String(url).includes(id))!.id)
    await stripe.delivered()
  }
  const recharge = {
    below_micros_usd: 1_000_000_000,
    amount_micros_usd: 500 * cent,
    month_limit_micros_usd: 1_000_000_000
  }
  await surely(() => account("PATCH", "/payments/recharge", { recharge }))

  const working = [customer(), customer(), customer(), operator(owner)]
  for (let kill = 0; kill < kills; kill++) {
    await pause(400 + random() * 1_200)
    const killed = anyOf()
    await killed.end("SIGKILL")
    stripe.eventsTo = `${anyOf().address}/payments/events`
    if (random() < 0.3) stripe.failNext({ kind: pick(random, ["executedThen500", "reset", "brokenOff"] as const) })
    await killed.start()
    stripe.eventsTo = `${anyOf().address}/payments/events`
  }
  isOver = true
  await Promise.all(working)
  await surely(() => account("PATCH", "/payments/recharge", { recharge: null }))
  // What nobody knows is asked for again, under its own id.
  for (const [payment, id] of refunds) {
    await surely(() => admin("POST", `/payments/${payment}/refunds`, { amount_micros_usd: 200 * cent, note: "x", id }))
  }
  await stripe.delivered()
  const listed = async () => (await surely(() => admin("GET", "/payments"))).payments as ReadonlyArray<Fields>
  // Charges whose answer was lost are asked for by the gateway itself, after a minute at the latest.
  while ((await listed()).some(({ kind, state }) => kind === "recharge" && state === "open")) await pause(1_000)
  for (const { id, state } of await listed()) {
    if (state !== "paid") await surely(() => admin("POST", `/payments/${String(id)}/check`))
  }
  // What was taken back of paid ones, a gateway that starts asks for by itself; if Stripe does not answer, again after a minute.
  await gateways[0]!.end("SIGKILL")
  await gateways[0]!.start()
  const returned = (of: ReadonlyArray<Fields>) => sum(of.map(({ returned_micros_usd }) => Number(returned_micros_usd)))
  for (let i = 0; i < 300 && returned(await listed()) !== takenBack(stripe); i++) await pause(500)
  const known = await listed()
  const entries = (await surely(() => admin("GET", `/accounts/${owner}/entries`))).entries as ReadonlyArray<Fields>
  const { balance_micros_usd: balance } = await surely(() => admin("GET", `/accounts/${owner}`))
  for (const gateway of gateways) await gateway.end("SIGTERM")
  const audit = await promisify(execFile)(process.execPath, [program, "audit"], { env: { ...process.env, ...env } })
  rmSync(folder, { recursive: true, force: true })
  return {
    all: known,
    entries,
    balance,
    audit: audit.stdout,
    refunds: refunds.length,
    adjusted: adjustments.length,
    asked
  }
}

const check = (stripe: StripeStandIn.StripeStandIn, found: Awaited<ReturnType<typeof campaign>>) => {
  const { all, audit, balance, entries } = found
  const amount = (of: Fields, name = "amount_micros_usd") => Number(of[name])
  const intents = stripe.all("payment_intent").filter(({ status }) => status === "succeeded")
  const cents = (of: ReadonlyArray<Fields>, name = "amount") => sum(of.map((one) => Number(one[name]))) * cent
  const cards = all.filter(({ kind, state }) => kind !== "invoice" && state === "paid")
  // Each charge is a payment, and each payment a charge.
  expect(cards).toHaveLength(intents.length)
  expect(stripe.executed.charges).toBe(intents.length)
  expect(new Set(cards.map(({ id }) => id))).toEqual(
    new Set(intents.map(({ metadata }) => (metadata as Fields).tollgate_payment))
  )
  expect(sum(cards.map((one) => amount(one)))).toBe(cents(intents))
  expect(sum(cards.map((one) => amount(one, "returned_micros_usd")))).toBe(takenBack(stripe))
  const invoices = all.filter(({ kind, state }) => kind === "invoice" && state === "paid")
  const spent = sum(entries.filter(({ kind }) => kind === "adjustment").map((one) => amount(one)))
  expect(balance).toBe(5_000_000 + cents(intents) + sum(invoices.map((one) => amount(one))) - takenBack(stripe) + spent)
  expect(audit).toContain("The ledger is consistent.")
}

describe("kill -9 while customers pay", () => {
  it.live(
    "one gateway on SQLite: books, payments and trail agree with the provider",
    () =>
      Effect.gen(function* () {
        const stripe = yield* StripeStandIn.make()
        const found = yield* Effect.promise(() => campaign(stripe, 1, {}, 12))
        check(stripe, found)
        console.log({
          ...found,
          all: found.all.length,
          entries: found.entries.length,
          audit: undefined,
          ...stripe.executed
        })
      }).pipe(Effect.scoped),
    480_000
  )

  it.live.runIf(hasPostgres)(
    "two gateways on PostgreSQL, likewise",
    () =>
      Effect.gen(function* () {
        const stripe = yield* StripeStandIn.make()
        const address = Redacted.value(yield* migratedDatabase)
        const found = yield* Effect.promise(() => campaign(stripe, 2, { TOLLGATE_STORE: address }, 12))
        check(stripe, found)
        console.log({
          ...found,
          all: found.all.length,
          entries: found.entries.length,
          audit: undefined,
          ...stripe.executed
        })
      }).pipe(Effect.scoped),
    480_000
  )
})
