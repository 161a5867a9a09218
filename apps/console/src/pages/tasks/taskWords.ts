import type { StartedTask } from "@tollgate/contract/account/Access"
import { microsOf, usd } from "../../ui/amounts.ts"

interface Words {
  readonly text: string
  readonly kind?: "good" | "warn" | "bad" | "accent" | undefined
}

const words: Readonly<Record<string, Words>> = {
  PENDING: { text: "waiting", kind: "accent" },
  RUNNING: { text: "running", kind: "accent" },
  SUCCEEDED: { text: "done", kind: "good" },
  FAILED: { text: "failed", kind: "bad" },
  CANCELED: { text: "canceled", kind: "warn" },
  UNKNOWN: { text: "unknown", kind: "warn" }
}

export const taskWords = (status: string): Words => words[status] ?? { text: status }

/** What an ended task cost. */
export const chargeWords = (task: StartedTask | undefined): string | undefined => {
  if (task === undefined || task.ended_at === null) return undefined
  return microsOf(task.charged_micros_usd) === 0n ? "nothing was charged" : `${usd(task.charged_micros_usd)} charged`
}
