import * as Schema from "effect/Schema"

export const TaskStatus = Schema.Literals(["PENDING", "RUNNING", "SUCCEEDED", "FAILED", "CANCELED", "UNKNOWN"])
export type TaskStatus = typeof TaskStatus.Type

/** Whether polling can stop: no other status follows a final one. */
export const isFinal = (status: TaskStatus): boolean =>
  status === "SUCCEEDED" || status === "FAILED" || status === "CANCELED"

/** What each status bills. `evidence`: the amount that the upstream reports. */
export const billing = {
  PENDING: "not yet",
  RUNNING: "not yet",
  SUCCEEDED: "full",
  FAILED: "none",
  CANCELED: "evidence",
  UNKNOWN: "none"
} as const satisfies Record<TaskStatus, "not yet" | "full" | "none" | "evidence">

export const polling = {
  floorMillis: 500,
  recommendedMillis: [3_000, 5_000],
  deadlineMillis: 300_000
} as const
