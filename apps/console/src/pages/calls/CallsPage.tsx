import { Link } from "@tanstack/react-router"
import { calls, usageSeries } from "@tollgate/client/account"
import type { UsageGroup } from "@tollgate/contract/account/UsageSeries"
import { useLoad } from "@tollgate/react/effect"
import * as Effect from "effect/Effect"
import { account } from "../../session/sessions.ts"
import type { Options } from "../../ui/form.tsx"
import { Empty } from "../../ui/kit.tsx"
import { CallList } from "./CallList.tsx"
import { ExportCalls } from "./ExportCalls.tsx"
import { Whose } from "./Whose.tsx"

const month = 30 * 86_400

/** What was called in the last 30 days can be chosen. */
const loadGroups = Effect.suspend(() => {
  const now = Math.ceil(Date.now() / 1000)
  return usageSeries({ start_time: now - month, end_time: now, width: "1d" })
})

const optionsOf = (groups: ReadonlyArray<UsageGroup> | undefined): Options =>
  (groups ?? []).flatMap(({ id, label }) => (id === "" ? [] : [[id, label === "" ? id : label] as const]))

const none = (
  <Empty title="No calls yet">
    <span>They appear here as they are made.</span>
    <Link className="button main" to="/playground">
      Open the playground
    </Link>
  </Empty>
)

export const CallsPage = () => {
  const { value } = useLoad(loadGroups)
  return (
    <CallList
      at="/calls"
      who={account}
      load={calls}
      linkTo={({ id }) => ({ to: "/calls/$call", params: { call: id } })}
      choices={{
        key: optionsOf(value?.by_key),
        operation: optionsOf(value?.by_operation),
        model: optionsOf(value?.by_model)
      }}
      lead={<Whose />}
      none={none}
      actions={(filter, page) => (
        <ExportCalls filter={filter} disabled={page === undefined || page.calls.length === 0} />
      )}
    >
      <p className="soft small">
        We keep no prompts or answers here. Answers of calls with an idempotency key are cached for 24 hours, and
        responses are kept with their input unless the call said store: false.
      </p>
    </CallList>
  )
}
