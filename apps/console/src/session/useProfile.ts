import { approvals, profile } from "@tollgate/client/account"
import { useLoad } from "@tollgate/react/effect"

const load = profile()

/** Whom the credential stands for, and what it may still spend. */
export const useProfile = () => useLoad(load, { every: "3 seconds" })

const loadApprovals = approvals()

/** The calls that wait for approval, and those that were decided. A credential that may not see them gets none. */
export const useApprovals = () => useLoad(loadApprovals, { every: "10 seconds" })
