import { taskGet } from "@tollgate/contract/operations/taskGet"
import { type Dispatcher, request } from "undici"
import type { Attempt } from "./Attempt.ts"
import type { GatewayProcess } from "./GatewayProcess.ts"
import { pause, pick, type Random } from "./seeded.ts"

/** How a task ended, as any of the gateways tells the caller. */
export interface PolledTask {
  /** The call that created it. */
  readonly requestId: string
  readonly status: "SUCCEEDED" | "FAILED"
  readonly micros: number
}

/** A task can be polled twice a second on each gateway. */
const pollMillis = 600

/** Polls a task over all gateways until one says that it has ended. */
export const pollTask = async (
  dispatcher: Dispatcher,
  gateways: ReadonlyArray<GatewayProcess>,
  random: Random,
  { intent, requestId = "", taskId = "" }: Attempt
): Promise<PolledTask> => {
  const path = (taskGet.path ?? "").replace("{task_id}", encodeURIComponent(taskId))
  for (;;) {
    await pause(pollMillis)
    const answer = await poll(dispatcher, `${pick(random, gateways).address}${path}`, intent.key)
    if (answer !== undefined) return { requestId, ...answer }
  }
}

const poll = async (dispatcher: Dispatcher, url: string, key: string) => {
  try {
    const { body, headers } = await request(url, {
      dispatcher,
      signal: AbortSignal.timeout(4_000),
      headers: { authorization: `Bearer ${key}` }
    })
    const text = await body.text()
    const micros = Number(headers["x-tollgate-cost-micros-usd"] ?? 0)
    if (text.includes('"SUCCEEDED"')) return { status: "SUCCEEDED" as const, micros }
    return text.includes('"FAILED"') ? { status: "FAILED" as const, micros } : undefined
  } catch {
    return undefined
  }
}
