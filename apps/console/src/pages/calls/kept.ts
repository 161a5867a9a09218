import type { CallStory } from "@tollgate/contract/account/LoggedCall"
import { fullTime } from "../../ui/times.ts"

/** Of all calls: what of their bodies is kept. */
export const keptOfAll =
  "What calls send is not stored. An answer is stored for a day if the call had an idempotency key, for repetitions, or if " +
  "it came from a reseller, under its cache address; and for as long as the operator allows if the call asked for that with " +
  "the cache header. This log shows no answers. Of a failure it keeps the code and the start of the message."

/** Of one call. */
export const keptWords = ({ idempotency }: Pick<CallStory, "idempotency">): string =>
  idempotency?.answer_stored === true
    ? `What the call sent is not stored. Its answer is kept until ${fullTime(idempotency.until)}, for repetitions alone.`
    : "What the call sent is not stored, and no answer is stored for repetitions of its key."
