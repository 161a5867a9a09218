import * as Headers from "@tollgate/contract/Headers"
import { type BigMicroUsd, formatUsd, fromMicros, micro, type NanoUsd, roundToMicros } from "@tollgate/contract/Money"
import type * as Digest from "effect/crypto/Digest"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { Priced } from "../../exchange/Exchange.ts"
import type { Approval, Approvals } from "../../identity/approval/Approvals.ts"
import { longestShown, shownRequest } from "../../identity/approval/shownRequest.ts"
import { turns } from "../../internal/Turns.ts"
import { type Resources, whereToChange } from "../../identity/grant/Resources.ts"
import type { TokenGrant } from "@tollgate/ledger/credential/Keys"
import { refuse, type Refused, unavailable } from "@tollgate/contract/errors/Refused"
import { withCap } from "./09-cap.ts"
import type { CallersHeaders } from "../../cache/requestKey.ts"
import type { OnMilestone } from "@tollgate/ledger/ledger/Ledger"
import { idempotencyId, type ReservedOrReplay } from "./11-reserve.ts"

const usd = (amount: NanoUsd): string => `${formatUsd(amount)} USD`

const storeFailed = () => unavailable("The store of approvals is not available; nothing was executed.")

/** The part of the message that says what to do. */
const nextStep = (
  asked: Option.Option<Approval>,
  canBeShown: boolean,
  { operation }: Priced,
  resources: Resources | undefined
): string => {
  const header = Headers.maxPrice(operation.names)
  const less = `Or ask for less, or send ${header} with at most that amount.`
  if (!canBeShown) return `But a person cannot be shown more than ${longestShown} characters of a request. ${less}`
  if (Option.isNone(asked)) return `Too many calls wait for approval already. ${less}`
  return resources?.approvalPage === undefined
    ? `${less} ${whereToChange("The amount can be changed", resources)}`
    : `The owner of the account can approve this one call at ${resources.approvalPage(asked.value.id)}` +
        ` within 15 minutes. Then send the same request again, with the same idempotency key. ${less}`
}

/** All of a request that an upstream may get: its digest, and its headers for the person to read. */
interface RequestParts {
  readonly digestOf: (exchange: Priced, account: string) => Effect.Effect<string>
  readonly headersOf: CallersHeaders
}

/**
 * A grant can say above which amount a call needs approval. A call below it gets the amount as its cap, so that it cannot cost more
 * after all. One above it uses the approval that a person gave to exactly this request, and has the most that the person saw as its cap.
 */
export const approve = (
  approvals: Approvals["Service"] | undefined,
  digest: Digest.Digest["Service"],
  { digestOf, headersOf }: RequestParts,
  resources: Resources | undefined
) => {
  const asking = Effect.fnUntraced(function* (
    exchange: Priced,
    { askAbove = 0n, id: grant }: TokenGrant,
    most: BigMicroUsd,
    payload: string
  ) {
    const { estimate, operation, principal } = exchange
    const request = yield* turns.inSlices(shownRequest(exchange, headersOf(exchange)))
    const asked =
      approvals === undefined || request === undefined
        ? Option.none<Approval>()
        : yield* approvals.ask({
            account: principal?.account ?? "",
            grant,
            digest: payload,
            operation: operation.id,
            request,
            likely: roundToMicros(estimate.likely),
            most
          })
    return yield* refuse(
      "approval_required",
      `This call needs approval. It can cost up to ${usd(fromMicros(most))}, and this app needs approval for each` +
        ` call above ${usd(fromMicros(micro(askAbove)))}. ${nextStep(asked, request !== undefined, exchange, resources)}`,
      { approval: Option.getOrUndefined(asked)?.id }
    )
  })

  const approved = Effect.fnUntraced(
    function* (exchange: Priced, grant: TokenGrant, most: BigMicroUsd) {
      const payload = yield* digestOf(exchange, exchange.principal?.account ?? "")
      const idempotency = yield* idempotencyId(digest, exchange) ?? Effect.succeed(undefined)
      const call = exchange.requestId
      const taken =
        approvals === undefined
          ? Option.none()
          : yield* approvals.take({ grant: grant.id, digest: payload, call, most, idempotency })
      return Option.isSome(taken)
        ? { ...exchange, approval: taken.value }
        : yield* asking(exchange, grant, most, payload)
    },
    Effect.catchTag("SqlError", () => Effect.fail(storeFailed()))
  )

  return (exchange: Priced): Effect.Effect<Priced, Refused> => {
    const grant = exchange.principal?.grant
    if (grant?.askAbove === undefined) return Effect.succeed(exchange)
    const { cap, estimate } = exchange
    const highest = roundToMicros(estimate.most)
    const most = cap !== undefined && cap < fromMicros(highest) ? roundToMicros(cap) : highest
    const needsApproval = most > grant.askAbove
    const limit = fromMicros(needsApproval ? most : micro(grant.askAbove))
    const within = cap !== undefined && cap <= limit ? Effect.succeed(exchange) : withCap(exchange, limit)
    return needsApproval ? Effect.flatMap(within, (capped) => approved(capped, grant, most)) : within
  }
}

/** An approval whose call was refused after all can be used again. */
export const givesBack = (
  approvals: Approvals["Service"] | undefined,
  reserve: (exchange: Priced) => Effect.Effect<ReservedOrReplay, Refused>,
  reached: OnMilestone
) => {
  if (approvals === undefined) return reserve
  return (exchange: Priced): Effect.Effect<ReservedOrReplay, Refused> => {
    const { approval, requestId } = exchange
    if (approval === undefined) return reserve(exchange)
    reached?.("approved")
    return reserve(exchange).pipe(
      Effect.tap(({ kind }) =>
        kind === "reserved" ? Effect.ignore(approvals.made(approval, requestId)) : Effect.void
      ),
      Effect.tapError(() => Effect.ignore(approvals.giveBack(requestId)))
    )
  }
}
