import type { CallStory } from "@tollgate/contract/account/LoggedCall"
import { fullTime } from "../../ui/times.ts"

/** Of all calls: what of their bodies is kept. */
export const keptOfAll =
  "What calls send is not stored. An answer is stored for a day if the call had an idempotency key, for repetitions, or if " +
  "it came from a reseller, under its cache address. This log shows neither."

/** Of one call. */
export const keptWords = ({ idempotency }: Pick<CallStory, "idempotency">): string =>
  idempotency?.answer_stored === true
    ? `What the call sent is not stored. Its answer is kept until ${fullTime(idempotency.until)}, for repetitions alone.`
    : "What the call sent is not stored, and no answer is kept for repetitions."
