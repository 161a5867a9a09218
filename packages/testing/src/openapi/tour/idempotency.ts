import { isQuotable } from "@tollgate/contract/Operation"
import { type CallerOf, firstRequests } from "./requests.ts"

/** Repeated calls under one key: completed, replayed, with another payload, and with an unknown end. */
export const repeat = async (callerOf: CallerOf) => {
  for (const { call, operation } of firstRequests()) {
    if (!isQuotable(operation)) continue
    const as = (key: string, headers = {}) => ({ ...call.headers, "idempotency-key": key, ...headers })
    const send = async (one: typeof call) => (await callerOf(operation)).send(one)
    const replay = { "x-tollgate-idempotency-mode": "replay" }
    await send({ ...call, headers: as("done") })
    await send({ ...call, headers: as("done") })
    await send({ ...call, headers: as("done", replay) })
    const other =
      call.body === undefined ? { path: `${call.path}&other=1` } : { body: { ...(call.body as object), other: 1 } }
    await send({ ...call, ...other, headers: as("done", replay) })
    await send({ ...call, headers: as("lost", { "x-tollgate-scenario": "reset" }) })
    await send({ ...call, headers: as("lost", replay) })
  }
}
