import { creatorInsights as operation } from "@tollgate/contract/operations/creatorInsights"
import { call } from "../call.ts"

/** Videos behind a creator search insight. */
export const creatorInsights = call(operation)
