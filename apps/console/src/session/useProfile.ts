import { profile } from "@tollgate/client/account"
import { useLoad } from "@tollgate/react"

const load = profile()

/** Whom the credential stands for, and what it may still spend. */
export const useProfile = () => useLoad(load, { every: "10 seconds" })
