import type { GivenGrant, grants as grantRoutes, link, LinkState } from "@tollgate/contract/account/Access"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { type Accounts, AccountsError } from "@tollgate/ledger/account/Accounts"
import type { GrantPolicy } from "../../identity/grant/GrantPolicy.ts"
import type { Grant, Grants } from "../../identity/grant/Grants.ts"
import { checkTerms, termsOf } from "../grantTerms.ts"
import { refuse } from "@tollgate/contract/errors/Refused"
import type { Handlers } from "../managementApi/ApiRouter.ts"
import * as Shapes from "../managementApi/shapes.ts"
import { type Caller, decidesForAccount, listed, speaksForAccount } from "./Caller.ts"
import type { approvals as approvalRoutes, CallApproval } from "@tollgate/contract/account/Approval"
import { type Approval, isApprovalOver } from "../../identity/approval/Approvals.ts"
import { inShort } from "../../identity/approval/shownRequest.ts"
import type { Links } from "../../identity/link/Links.ts"

const shownGrant = (grant: Grant, { principal }: Caller): GivenGrant => {
  const { account: _, ...rest } = Shapes.grant(grant)
  return { ...rest, own: grant.id === principal.grant?.id }
}

/** A program does not decide how much it may do, even if it may manage grants. */
const ownTerms = refuse(
  "access_denied",
  "The token of a grant cannot change that grant; its owner can, in the console or with a key."
)

const sumOf = (grants: ReadonlyArray<Grant>, part: "spent" | "spentToday") =>
  Shapes.amount(grants.reduce((sum, grant) => sum + grant[part], 0n))

const noGrant = new AccountsError({ reason: "missing", message: "The account gave no such grant." })

export const grantHandlers = (
  grants: Grants["Service"],
  accounts: Accounts["Service"],
  policy: GrantPolicy
): Handlers<typeof grantRoutes, Caller> => {
  const speaks = speaksForAccount(accounts)
  const decides = decidesForAccount(accounts)

  const find = Effect.fnUntraced(function* (id: string, { principal }: Caller) {
    const found = yield* grants.find(id)
    return Option.isSome(found) && found.value.account === principal.account ? found.value : yield* noGrant
  })

  return {
    grants: Effect.fnUntraced(function* (_, caller) {
      yield* speaks(caller)
      const all = yield* grants.list(caller.principal.account)
      return {
        grants: listed(all, ({ ended }) => ended).map((grant) => shownGrant(grant, caller)),
        spent_micros_usd: sumOf(all, "spent"),
        spent_today_micros_usd: sumOf(all, "spentToday")
      }
    }),
    changeGrant: Effect.fnUntraced(function* ({ body, id }, caller) {
      yield* decides(caller)
      if (id === caller.principal.grant?.id) return yield* ownTerms
      yield* find(id, caller)
      const terms = termsOf(body)
      yield* checkTerms(terms, caller.gateway, policy)
      return shownGrant(yield* grants.change(id, terms), caller)
    }),
    revokeGrant: Effect.fnUntraced(function* ({ id }, caller) {
      // A client may always give up what it has.
      if (id !== caller.principal.grant?.id) yield* speaks(caller)
      yield* find(id, caller)
      yield* grants.revoke(id)
      return shownGrant(yield* find(id, caller), caller)
    })
  }
}

const stateOf = (approval: Approval, grant: Grant | undefined, now: number): CallApproval["state"] => {
  const { call, decision } = approval
  if (call !== undefined) return "used"
  if (decision === "no") return "refused"
  if (isApprovalOver(approval, grant, now)) return "ended"
  return decision === "yes" ? "allowed" : "waiting"
}

const shownApproval = (
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
  decided_at: Shapes.timeOrNull(approval.decidedAt),
  call: approval.call ?? null
})

/** A program does not approve its own calls, even if it may manage grants. */
const ownCall = refuse(
  "access_denied",
  "The token of a grant cannot decide on a call of that grant; the owner of the account can, on the page of the call or with a key."
)

const noQuestion = new AccountsError({ reason: "missing", message: "The account has no such question." })
const over = new AccountsError({ reason: "conflict", message: "The time to decide is over, or it was decided." })

export const approvalHandlers = (
  grants: Grants["Service"],
  accounts: Accounts["Service"]
): Handlers<typeof approvalRoutes, Caller> => {
  const decides = decidesForAccount(accounts)

  const find = Effect.fnUntraced(function* (id: string, { gateway: { approvals }, principal }: Caller) {
    const found = approvals === undefined ? Option.none() : yield* approvals.find(id)
    return Option.isSome(found) && found.value.account === principal.account ? found.value : yield* noQuestion
  })

  return {
    approvals: Effect.fnUntraced(function* (_, caller) {
      yield* decides(caller)
      const all = (yield* caller.gateway.approvals?.list(caller.principal.account) ?? Effect.succeed([])) ?? []
      const now = yield* Clock.currentTimeMillis
      const byId = new Map((yield* grants.list(caller.principal.account)).map((grant) => [grant.id, grant]))
      return { approvals: all.map((approval) => shownApproval(approval, byId.get(approval.grant), caller, now)) }
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
      return shownApproval(yield* find(id, caller), grant, caller, now)
    })
  }
}

/** Without links, no account can be linked here. */
export const linkHandlers = (links: Links["Service"] | undefined): Handlers<typeof link, Caller> => {
  const state = Effect.fnUntraced(function* ({ gateway, principal }: Caller) {
    const linked = links === undefined ? undefined : Option.getOrUndefined(yield* links.linked(principal))
    const state: LinkState = {
      available: links !== undefined,
      platform: gateway.catalogue.names.social_a,
      offered_scopes: links?.offered ?? [],
      linked: linked !== undefined,
      scopes: linked?.scopes ?? [],
      linked_at: linked === undefined ? null : Shapes.time(linked.linkedAt)
    }
    return state
  })
  return {
    linkState: (_, caller) => state(caller),
    unlink: (_, caller) =>
      links === undefined ? state(caller) : Effect.andThen(links.unlink(caller.principal), state(caller))
  }
}
