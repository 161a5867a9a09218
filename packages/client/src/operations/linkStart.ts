import { linkStart as operation } from "@tollgate/contract/operations/linkStart"
import { call } from "../call.ts"

/** Starts linking a platform account: the user opens `auth_url` and approves. */
export const linkStart = call(operation)
