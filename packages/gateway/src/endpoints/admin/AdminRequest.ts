import type { Role } from "@tollgate/contract/Api"
import type { BigMicroUsd } from "@tollgate/contract/Money"
import type { Cause } from "@tollgate/ledger/trail/Trail"
import type { SignedIn } from "../../identity/operator/Operators.ts"

/** Who asks the admin API: an operator, or whoever has the shared token. */
export type Asking = SignedIn | { readonly id: null; readonly name: string; readonly role: Role }

export interface AdminRequest {
  readonly requestId: string
  readonly address: string | undefined
  readonly by: Asking
}

export const sharedToken: Asking = { id: null, name: "shared token", role: "owner" }

/** Whoever runs a command has the machine, and so everything. */
export const command: AdminRequest = {
  requestId: "",
  address: undefined,
  by: { id: null, name: "command", role: "owner" }
}

export const causeOf = ({ address, by, requestId }: AdminRequest): Cause => ({
  who: by.id === null ? by.name : `${by.name} (${by.id})${by.isSession ? "" : `, token ${by.token}`}`,
  operator: by.id ?? undefined,
  address: address ?? null,
  request: requestId
})

/** What operators in support may give back for one call. */
export interface OperatorPolicy {
  readonly refundLimit: BigMicroUsd
}
