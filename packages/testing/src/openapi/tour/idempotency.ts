import { isQuotable } from "@tollgate/contract/Operation"
import type { Caller } from "../Caller.ts"
import { firstRequests } from "./requests.ts"

/** Repeated calls under one key: completed, replayed, with another payload, and with an unknown end. */
export const repeat = async (caller: Caller) => {
  for (const { call, operation } of firstRequests()) {
    if (!isQuotable(operation)) continue
    const as = (key: string, headers = {}) => ({ ...call.headers, "idempotency-key": key, ...headers })
    const replay = { "x-tollgate-idempotency-mode": "replay" }
    await caller.send({ ...call, headers: as("done") })
    await caller.send({ ...call, headers: as("done") })
    await caller.send({ ...call, headers: as("done", replay) })
    const other =
      call.body === undefined ? { path: `${call.path}&other=1` } : { body: { ...(call.body as object), other: 1 } }
    await caller.send({ ...call, ...other, headers: as("done", replay) })
    await caller.send({ ...call, headers: as("lost", { "x-tollgate-scenario": "reset" }) })
    await caller.send({ ...call, headers: as("lost", replay) })
  }
}
