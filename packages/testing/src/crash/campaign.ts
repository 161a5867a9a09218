import { Agent, request } from "undici"
import { type Billed, waitForExit, startGateway, startUpstream } from "./process.ts"

export interface Plan {
  readonly filename: string
  readonly kills: number
  /** The total over all starts of the gateway. */
  readonly requests: number
  readonly connections: number
  readonly key: string
  /** Seeded, from 0 to 1. */
  readonly random: () => number
}

export interface Outcome {
  /** Every answer that a caller received, by its request id. */
  readonly acknowledged: ReadonlyMap<string, Acknowledged>
  /** How many answers there must be at least, and how many calls must have been cut off, on any machine. */
  readonly least: { readonly acknowledged: number; readonly unanswered: number }
  readonly sent: number
  readonly unanswered: number
  readonly slowestStartMillis: number
  /** The upstream's own record. */
  readonly billed: ReadonlyArray<Billed>
}

export interface Acknowledged {
  readonly charged: number
  readonly cap: number | null
}

/** Every third call has a cap, in micro-USD: more than its reservation, and less than the upstream often reports. */
const cap = 60

/** Every call reaches these once, so the nth means that n calls were under way. */
const ofCalls = ["reserved", "called", "settled"]
const milestones = ["committing", "committed", ...ofCalls]

const documents = (n: number) => ["river ".repeat(20 + (n % 60)), "mountain and sea"]

/** Sends load to a gateway that is killed at milestones and at random times, and restarted. */
export const campaign = async (plan: Plan): Promise<Outcome> => {
  const upstream = await startUpstream()
  const dispatcher = new Agent({ connections: plan.connections, pipelining: 1, keepAliveTimeout: 500 })
  const acknowledged = new Map<string, Acknowledged>()
  const perRun = Math.ceil(plan.requests / (plan.kills + 1))
  let sent = 0
  let unanswered = 0
  const least = { acknowledged: 0, unanswered: 0 }
  let slowestStartMillis = 0

  const ask = async (baseUrl: string, n: number): Promise<boolean> => {
    try {
      const answer = await request(`${baseUrl}/v1/rerank`, {
        method: "POST",
        dispatcher,
        headers: {
          authorization: `Bearer ${plan.key}`,
          "content-type": "application/json",
          ...(n % 3 === 0 ? { "x-tollgate-max-price-usd": `0.0000${cap}` } : {})
        },
        body: JSON.stringify({ query: "river", documents: documents(n) })
      })
      const text = await answer.body.text()
      if (answer.statusCode !== 200) throw new Error(`${answer.statusCode} ${text}`)
      const id = String(answer.headers["x-request-id"])
      if (acknowledged.has(id)) throw new Error(`two answers under ${id}`)
      const charged = Number(answer.headers["x-tollgate-cost-micros-usd"])
      acknowledged.set(id, { charged, cap: n % 3 === 0 ? cap : null })
      return true
    } catch (error) {
      if (error instanceof Error && /^\d{3} |two answers/.test(error.message)) throw error
      unanswered++
      return false
    }
  }

  for (let run = 0; run <= plan.kills; run++) {
    const last = run === plan.kills
    const atMilestone = !last && run % 2 === 0
    const milestone = atMilestone ? milestones[(run / 2) % milestones.length]! : ""
    const startedAt = performance.now()
    const nth = atMilestone ? 1 + Math.floor(plan.random() * perRun * 0.5) : 0
    const started = await startGateway(plan.filename, upstream.baseUrl, milestone, nth)
    if (started === undefined) continue
    const { baseUrl, child } = started
    slowestStartMillis = Math.max(slowestStartMillis, performance.now() - startedAt)
    const timer =
      last || atMilestone ? undefined : setTimeout(() => child.kill("SIGKILL"), 20 + plan.random() * perRun * 1.5)
    let left = perRun
    const caller = async () => {
      while (left-- > 0) if (!(await ask(baseUrl, sent++))) break
    }
    await Promise.all(Array.from({ length: plan.connections }, caller))
    clearTimeout(timer)
    if (last) least.acknowledged += perRun
    if (ofCalls.includes(milestone)) {
      // Each connection has one call under way, and one of them reached the milestone.
      least.acknowledged += Math.max(0, nth - plan.connections)
      least.unanswered += 1
    }
    child.kill("SIGKILL")
    await waitForExit(child)
  }

  const billed = await upstream.entries()
  upstream.stop()
  await dispatcher.destroy()
  return { acknowledged, least, sent, unanswered, slowestStartMillis, billed }
}
