import { codes } from "@tollgate/contract/errors/codes"
import type { CallEvent } from "../../observe/CallEvent.ts"

/** Who has to act: the caller, the operator of the upstream, or the operator of this gateway. */
export type Fault = "caller" | "upstream" | "gateway"

const byType: Readonly<Record<string, Fault>> = {
  upstream_error: "upstream",
  api_error: "gateway",
  billing_error: "gateway",
  source_error: "gateway"
}

const faultOf = (code: NonNullable<CallEvent["code"]>): Fault => {
  if (code === "caller_left") return "caller"
  if (code === "upstream_rate_limit") return "upstream"
  return byType[codes[code].type] ?? "caller"
}

/** Why a call failed. `undefined`: it did not. An upstream's own error is passed on, so it has no code of the gateway. */
export const failureOf = ({
  code,
  status
}: CallEvent): { readonly code: string; readonly fault: Fault } | undefined => {
  if (code !== undefined) return { code, fault: faultOf(code) }
  if (status >= 500) return { code: "answered_5xx", fault: "upstream" }
  return status >= 400 ? { code: "answered_4xx", fault: "caller" } : undefined
}
