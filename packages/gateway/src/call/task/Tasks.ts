import type { Charge } from "@tollgate/contract/Outcome"
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { Principal } from "@tollgate/ledger/credential/Keys"
import type { Priced } from "../../exchange/Exchange.ts"
import type { Ledger, Reservation } from "@tollgate/ledger/ledger/Ledger"
import type { Builtin, Answer } from "../../exchange/Reply.ts"
import type { Refused } from "@tollgate/contract/errors/Refused"
import type { Called } from "../../upstream/Called.ts"
import type { ListedTask, TaskTerm } from "@tollgate/ledger/ledger/Task"

export interface Created {
  readonly answer: Answer
  readonly charge: Charge
}

/** Calls whose work continues after they are answered. */
export class Tasks extends Context.Service<
  Tasks,
  {
    /**
     * Starts a task. The reservation stays open until the task ends. `call` asks the upstream, and ends the reservation
     * itself if that fails. Over the limit of concurrent tasks the create is refused with 429 before anything is sent, and
     * the reservation is released.
     */
    readonly create: (
      exchange: Priced,
      reservation: Reservation,
      call: Effect.Effect<Called, Refused>,
      ledger: Ledger["Service"]
    ) => Effect.Effect<Created, Refused>
    /** Answers with the status of a task, to the account that created it. */
    readonly poll: Builtin
    /** The same in the upstream's own form, for the tasks of one operation. */
    readonly pollOwn: Builtin
    /** Asks the upstream to stop a task, and answers like `pollOwn`. What the task costs is decided by its end. */
    readonly cancelOwn: Builtin
    /** What started a task of the caller's account. Asks no upstream. `undefined`: the account has no such task. */
    readonly find: (
      principal: Principal,
      id: string
    ) => Effect.Effect<(TaskTerm & { readonly expiresAt: number }) | undefined, Refused>
    /** The tasks of the caller's account, the newest first. `isOwn`: only those of the caller's owner. */
    readonly list: (principal: Principal, isOwn: boolean) => Effect.Effect<ReadonlyArray<ListedTask>, Refused>
    /** How many tasks of the caller's owner run, or are being started. */
    readonly running: (principal: Principal) => Effect.Effect<number, Refused>
  }
>()("@tollgate/gateway/Tasks") {}
