import type { approvals as routes, CallApproval } from "@tollgate/contract/account/Approval"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { type Accounts, AccountsError } from "@tollgate/ledger/account/Accounts"
import { type Approval, isApprovalOver } from "../../identity/approval/Approvals.ts"
import { inShort } from "../../identity/approval/shownRequest.ts"
import type { Grant, Grants } from "../../identity/grant/Grants.ts"
import { refuse } from "@tollgate/contract/errors/Refused"
import type { Handlers } from "../managementApi/ApiRouter.ts"
import * as Shapes from "../managementApi/shapes.ts"
import { type Caller, decidesForAccount } from "./Caller.ts"

const stateOf = (approval: Approval, grant: Grant | undefined, now: number): CallApproval["state"] => {
  const { call, decision } = approval
  if (call !== undefined) return "used"
  if (decision === "no") return "refused"
  if (isApprovalOver(approval, grant, now)) return "ended"
  return decision === "yes" ? "allowed" : "waiting"
}

const shown = (
  approval: Approval,
  grant: Grant | undefined,
  { principal }: Caller,
  now: number,
  request = inShort(approval.request)
): CallApproval => ({
  id: approval.id,
  grant: approval.grant,
  client_name: grant?.client.name ?? "",
  operation: approval.operation,
  request,
  request_shortened: request !== approval.request,
  estimate_micros_usd: Shapes.amount(approval.likely),
  max_micros_usd: Shapes.amount(approval.most),
  state: stateOf(approval, grant, now),
  own: approval.grant === principal.grant?.id,
  created_at: Shapes.time(approval.createdAt),
  ends_at: Shapes.time(approval.endsAt),
  decided_at: approval.decidedAt === undefined ? null : Shapes.time(approval.decidedAt),
  call: approval.call ?? null
})

/** A program does not approve its own calls, even if it may manage grants. */
const ownCall = refuse(
  "access_denied",
  "The token of a grant cannot decide on a call of that grant; the owner of the account can, on the page of the call or with a key."
)

const missing = new AccountsError({ reason: "missing", message: "The account has no such question." })
const over = new AccountsError({ reason: "conflict", message: "The time to decide is over, or it was decided." })

export const approvalHandlers = (
  grants: Grants["Service"],
  accounts: Accounts["Service"]
): Handlers<typeof routes, Caller> => {
  const decides = decidesForAccount(accounts)

  const find = Effect.fnUntraced(function* (id: string, { gateway: { approvals }, principal }: Caller) {
    const found = approvals === undefined ? Option.none() : yield* approvals.find(id)
    return Option.isSome(found) && found.value.account === principal.account ? found.value : yield* missing
  })

  return {
    approvals: Effect.fnUntraced(function* (_, caller) {
      yield* decides(caller)
      const all = (yield* caller.gateway.approvals?.list(caller.principal.account) ?? Effect.succeed([])) ?? []
      const now = yield* Clock.currentTimeMillis
      const byId = new Map((yield* grants.list(caller.principal.account)).map((grant) => [grant.id, grant]))
      return { approvals: all.map((approval) => shown(approval, byId.get(approval.grant), caller, now)) }
    }),
    decideApproval: Effect.fnUntraced(function* ({ body: { decision }, id }, caller) {
      yield* decides(caller)
      const asked = yield* find(id, caller)
      if (asked.grant === caller.principal.grant?.id) return yield* ownCall
      const now = yield* Clock.currentTimeMillis
      const grant = Option.getOrUndefined(yield* grants.find(asked.grant))
      if (isApprovalOver(asked, grant, now)) return yield* over
      const decided = yield* caller.gateway.approvals?.decide(id, decision) ?? Effect.succeed(Option.none())
      if (Option.getOrUndefined(decided) !== decision) return yield* over
      return shown(yield* find(id, caller), grant, caller, now)
    })
  }
}
