import { Agent, request } from "undici"
import { waitForExit, startGateway, startSandbox } from "./process.ts"

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
  /** The request id and the charge of every answer that a caller received. */
  readonly acknowledged: ReadonlyMap<string, number>
  readonly sent: number
  readonly unanswered: number
  readonly slowestStartMillis: number
  /** The upstream's own record: the request id and the tokens it billed. */
  readonly billed: ReadonlyArray<{ readonly requestId: string | undefined; readonly tokens: number }>
}

const milestones = ["committing", "committed", "reserved", "called", "settled"]

const documents = (n: number) => ["river ".repeat(20 + (n % 60)), "mountain and sea"]

/** Sends load to a gateway that is killed at milestones and at random times, and restarted. */
export const campaign = async (plan: Plan): Promise<Outcome> => {
  const sandbox = await startSandbox()
  const dispatcher = new Agent({ connections: plan.connections, pipelining: 1, keepAliveTimeout: 500 })
  const acknowledged = new Map<string, number>()
  const perRun = Math.ceil(plan.requests / (plan.kills + 1))
  let sent = 0
  let unanswered = 0
  let slowestStartMillis = 0

  const ask = async (baseUrl: string, n: number): Promise<boolean> => {
    try {
      const answer = await request(`${baseUrl}/v1/rerank`, {
        method: "POST",
        dispatcher,
        headers: { authorization: `Bearer ${plan.key}`, "content-type": "application/json" },
        body: JSON.stringify({ query: "river", documents: documents(n) })
      })
      const text = await answer.body.text()
      if (answer.statusCode !== 200) throw new Error(`${answer.statusCode} ${text}`)
      const id = String(answer.headers["x-request-id"])
      if (acknowledged.has(id)) throw new Error(`two answers under ${id}`)
      acknowledged.set(id, Number(answer.headers["x-tollgate-cost-micros-usd"]))
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
    const { baseUrl, child } = await startGateway(plan.filename, sandbox.baseUrl, milestone, nth)
    slowestStartMillis = Math.max(slowestStartMillis, performance.now() - startedAt)
    const timer =
      last || atMilestone ? undefined : setTimeout(() => child.kill("SIGKILL"), 20 + plan.random() * perRun * 1.5)
    let left = perRun
    const caller = async () => {
      while (left-- > 0) if (!(await ask(baseUrl, sent++))) break
    }
    await Promise.all(Array.from({ length: plan.connections }, caller))
    clearTimeout(timer)
    child.kill("SIGKILL")
    await waitForExit(child)
  }

  const billed = (await sandbox.entries()).map(({ billed, requestId }) => ({ requestId, tokens: billed.tokens ?? 0 }))
  sandbox.stop()
  await dispatcher.destroy()
  return { acknowledged, sent, unanswered, slowestStartMillis, billed }
}
