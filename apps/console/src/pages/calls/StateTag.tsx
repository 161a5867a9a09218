import type { LoggedCall } from "@tollgate/contract/account/LoggedCall"
import { Tag } from "../../ui/kit.tsx"
import { stateWords, tagKind } from "./states.ts"

/** How a call stands: its status, and its state unless that is the usual one. */
export const StateTag = ({ call }: { readonly call: Pick<LoggedCall, "state" | "failed" | "status" | "error"> }) => {
  const { label, meaning } = stateWords[call.state]
  const text = call.status === null ? label : call.state === "settled" ? `${call.status}` : `${call.status} ${label}`
  return (
    <span title={`${label}: ${meaning}`}>
      <Tag kind={tagKind(call)}>{text}</Tag>
    </span>
  )
}
