import { codes, isCode } from "@tollgate/contract/errors/codes"
import { type Dispatcher, request } from "undici"
import type { GatewayProcess } from "./GatewayProcess.ts"
import type { Intent } from "./Intent.ts"

/** What a caller learned from asking once. */
export interface Attempt {
  readonly intent: Intent
  readonly gateway: string
  /** `cut`: no whole answer. `left`: by the caller's own will. */
  readonly end: "answered" | "cut" | "left"
  readonly requestId?: string
  readonly status?: number
  readonly code?: string
  readonly isReplayed?: boolean
  readonly taskId?: string
  /** The charge that the answer shows. */
  readonly micros?: number
  /** Whether the answer is to this intent, and not to that of another. */
  readonly isOwn?: boolean
  /** An SDK sends the request again by itself. */
  readonly isRepeatedBySdk?: boolean
}

const numberIn = (value: unknown): number | undefined => (typeof value === "string" ? Number(value) : undefined)

/** A caller gives up after so long, as it would with a gateway that hangs. A gateway on a busy machine answers within it. */
export const patienceMillis = 30_000

const micros = (intent: Intent, headers: Readonly<Record<string, unknown>>, text: string): number | undefined => {
  if (intent.kind === "stream") return numberIn(/: cost_micros_usd=(\d+) cost_state=settled/.exec(text)?.[1])
  return headers["x-tollgate-cost-state"] === "settled" ? numberIn(headers["x-tollgate-cost-micros-usd"]) : undefined
}

/** The statuses that the SDKs of OpenAI and Anthropic answer by a repeat, unless the answer forbids it. */
const isRepeatedBySdk = (status: number, headers: Readonly<Record<string, unknown>>): boolean =>
  headers["x-should-retry"] !== "false" && (status === 408 || status === 409 || status === 429 || status >= 500)

/** Asks a gateway once. `count`: how often the caller has asked before. */
export const attempt = async (
  dispatcher: Dispatcher,
  gateway: GatewayProcess,
  intent: Intent,
  count = 0
): Promise<Attempt> => {
  const call = { isCut: false }
  gateway.inFlight.add(call)
  const known: { requestId?: string; status?: number } = {}
  const signal = AbortSignal.timeout(intent.leavesAfter ?? patienceMillis)
  try {
    const answer = await request(`${gateway.address}${intent.path}`, {
      method: "POST",
      dispatcher,
      signal,
      headers: {
        authorization: `Bearer ${intent.key}`,
        "content-type": "application/json",
        ...(intent.kind === "task" ? { "x-tollgate-async": "enable" } : {}),
        ...(intent.countsAttempts ? { "x-stainless-retry-count": String(count) } : {}),
        ...(intent.idempotencyKey === undefined
          ? {}
          : { "idempotency-key": intent.idempotencyKey, "x-tollgate-idempotency-mode": "replay" })
      },
      body: intent.body
    })
    known.requestId = String(answer.headers["x-request-id"])
    known.status = answer.statusCode
    const text = await answer.body.text()
    const code = answer.statusCode < 400 ? undefined : /"code":\s*"([a-z_]+)"/.exec(text)?.[1]
    const shown = micros(intent, answer.headers, text)
    const taskId = /"task_id":\s*"([^"]+)"/.exec(text)?.[1]
    return {
      intent,
      gateway: gateway.name,
      end: "answered",
      requestId: known.requestId,
      status: known.status,
      isReplayed: answer.headers["idempotent-replayed"] === "true",
      isRepeatedBySdk: isRepeatedBySdk(known.status, answer.headers),
      // The answer to a task names only the task.
      isOwn: intent.kind === "task" || new RegExp(`${intent.id}\\b`).test(text),
      ...(code === undefined ? {} : { code }),
      ...(taskId === undefined ? {} : { taskId }),
      ...(shown === undefined ? {} : { micros: shown })
    }
  } catch {
    call.isCut = !signal.aborted
    return { intent, gateway: gateway.name, end: signal.aborted ? "left" : "cut", ...known, isRepeatedBySdk: true }
  } finally {
    gateway.inFlight.delete(call)
  }
}

/** Whether the answer is the last word: asking again under the same key would say the same. */
export const isFinal = ({ code, end, status }: Attempt): boolean =>
  end === "answered" &&
  (status === 200 ||
    code === "idempotency_completed" ||
    code === "idempotency_unknown" ||
    code === "idempotency_mismatch")

/** Whether the answer promises that this attempt executed nothing. */
export const provesNothingRan = ({ code }: Attempt): boolean =>
  code !== undefined && isCode(code) && codes[code].outcome === "not executed"
