import type { CallStory, LoggedCall, TriedUpstream } from "@tollgate/contract/account/LoggedCall"
import type { OperatorCallStory } from "@tollgate/contract/admin/Margin"
import { number, numberOrNull, type Row, text, textOrNull } from "../store/rows.ts"
import { isKept, marginOf, shownTo } from "./callFields.ts"
import { time } from "./exportLines.ts"

const list = shownTo("list")
const story = shownTo("list", "story")
const operator = shownTo("operator")

/** The columns that `loggedCallOf` reads. */
export const columns = [...list.names, "evidence"].join(", ")
export const storyColumns = story.names.join(", ")
export const operatorColumns = [...story.names, ...operator.names].join(", ")

export const loggedCallOf = (row: Row, label: string): LoggedCall => ({
  ...list.read(row),
  key_label: label,
  kept: isKept(row)
})

/** Nothing is stored where the first upstream answered. */
const triedOf = (tried: unknown, upstream: string | null): ReadonlyArray<TriedUpstream> =>
  (tried as ReadonlyArray<TriedUpstream> | null) ?? (upstream === null ? [] : [{ upstream, outcome: "answered" }])

/** The row has the label, the idempotency claim and the task too. */
export const storyOf = (row: Row): CallStory => {
  const until = numberOrNull(row, "claim_ends_at")
  const task = textOrNull(row, "task_id")
  const shown = story.read(row)
  return {
    ...shown,
    key_label: textOrNull(row, "label") ?? "",
    kept: isKept(row),
    tried: triedOf(shown.tried, shown.upstream),
    idempotency: until === null ? null : { until: time(until), answer_stored: number(row, "answer_stored") === 1 },
    task: task === null ? null : { id: task, status: text(row, "task_status") }
  }
}

/** With what only operators see. */
export const operatorStoryOf = (row: Row): OperatorCallStory => {
  const margin = marginOf(row)
  return { ...storyOf(row), ...operator.read(row), margin_nano_usd: margin === null ? null : String(margin) }
}
