import { usage as operation } from "@tollgate/contract/operations/usage"
import { call } from "../call.ts"

/** What the credential has used and been charged, by day. */
export const usage = call(operation)
