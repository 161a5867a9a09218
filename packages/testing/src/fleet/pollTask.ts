import { taskGet } from "@tollgate/contract/operations/taskGet"
import { type Dispatcher, request } from "undici"
import { type Attempt, patienceMillis } from "./Attempt.ts"
import type { GatewayProcess } from "./GatewayProcess.ts"
import { pause, pick, type Random } from "./seeded.ts"

/** How a task ended, as any of the gateways tells the caller. */
export interface PolledTask {
  /** The call that created it. */
  readonly requestId: string
  /** `UNKNOWN`: the gateways do not know a task that one of them has accepted. */
  readonly status: "SUCCEEDED" | "FAILED" | "UNKNOWN"
  readonly micros: number
}

/** A task can be polled twice a second on each gateway. */
const pollMillis = 600
/** Bounds a failure. */
const mostUnknown = 50

/** Polls a task over all gateways until one says that it has ended. */
export const pollTask = async (
  dispatcher: Dispatcher,
  gateways: ReadonlyArray<GatewayProcess>,
  random: Random,
  { intent, requestId = "", taskId = "" }: Attempt
): Promise<PolledTask> => {
  const path = (taskGet.path ?? "").replace("{task_id}", encodeURIComponent(taskId))
  let unknown = 0
  for (;;) {
    await pause(pollMillis)
    const answer = await poll(dispatcher, `${pick(random, gateways).address}${path}`, intent.key)
    if (answer === undefined || (answer.status === "UNKNOWN" && ++unknown < mostUnknown)) continue
    return { requestId, ...answer }
  }
}

const poll = async (dispatcher: Dispatcher, url: string, key: string) => {
  try {
    const { body, headers } = await request(url, {
      dispatcher,
      signal: AbortSignal.timeout(patienceMillis),
      headers: { authorization: `Bearer ${key}` }
    })
    const text = await body.text()
    const micros = Number(headers["x-tollgate-cost-micros-usd"] ?? 0)
    const status = (["SUCCEEDED", "FAILED", "UNKNOWN"] as const).find((one) => text.includes(`"${one}"`))
    return status === undefined ? undefined : { status, micros }
  } catch {
    return undefined
  }
}
