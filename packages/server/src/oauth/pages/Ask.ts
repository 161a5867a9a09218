import type { Accounts, AccountsError, Approvals, Grants, Refused, SignIn } from "@tollgate/gateway"
import type { GrantPolicy, Offer } from "@tollgate/gateway/driver"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import type { SqlError } from "effect/sql/SqlError"
import type { Interaction } from "./Interaction.ts"
import type { Message } from "./messages.ts"
import type { Page } from "./Page.ts"
import type { Form } from "./readForm.ts"
import type { Site, Visit } from "./Visit.ts"

/** A request for a page, or from one. */
export interface Ask {
  /** What the gateway is called. */
  readonly name: string
  readonly site: Site
  readonly visit: Visit
  /** Empty unless a form was posted. */
  readonly form: Form
  readonly query: string
  readonly address: string | undefined
  /** What people who give access are proposed, and may choose. */
  readonly policy: GrantPolicy
  /** The operations of the gateway. `undefined`: there is nothing to choose from. */
  readonly offer: (() => Offer) | undefined
  readonly interaction: (uid: string) => Effect.Effect<Interaction, Stopped>
}

/** There is nothing to do but to say why. */
export class Stopped extends Data.TaggedError("Stopped")<{ readonly message: Message }> {}

export type Services = Accounts | Approvals | Grants | SignIn

export type Answer = Effect.Effect<Page, Stopped | SqlError | AccountsError | Refused, Services>

export const stop = (message: Message): Effect.Effect<never, Stopped> => Effect.fail(new Stopped({ message }))
