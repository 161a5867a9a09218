import { follow as operation } from "@tollgate/contract/operations/follow"
import { call } from "../call.ts"

/** Follows a user on behalf of the linked account. An end that nobody saw is `OutcomeUnknown`, and is not tried again. */
export const follow = call(operation)
