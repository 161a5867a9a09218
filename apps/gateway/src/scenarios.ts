import type { Scenario } from "@tollgate/contract/account/Offer"

/** What the sandbox can be asked to do, for people who try the gateway. */
export const scenarios: ReadonlyArray<Scenario> = []
