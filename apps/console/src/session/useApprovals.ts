import { approvals } from "@tollgate/client/account"
import { useLoad } from "@tollgate/react"

const load = approvals()

/** The calls that wait for approval, and those that were decided. A credential that may not see them gets none. */
export const useApprovals = () => useLoad(load, { every: "10 seconds" })
