import { profile } from "@tollgate/client/account"
import { useLoad } from "@tollgate/react"
import { useEffect } from "react"
import { onCallEnded } from "./callEnded.ts"

const load = profile()

/** Whom the credential stands for, and what it may still spend. */
export const useProfile = () => {
  const loaded = useLoad(load, { every: "3 seconds" })
  const { refresh } = loaded
  useEffect(() => onCallEnded(refresh), [refresh])
  return loaded
}
