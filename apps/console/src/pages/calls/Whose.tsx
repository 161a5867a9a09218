import { gateway } from "../../session/gateway.ts"
import { useProfile } from "../../session/useProfile.ts"

/** Whose calls are shown. */
export const Whose = () => {
  const { value } = useProfile()
  if (value === undefined) return <>&nbsp;</>
  const { account, credential } = value
  return credential.scope === "account" ? (
    <>Calls of the whole account {account.label || account.id}.</>
  ) : (
    <>
      Calls of {credential.kind === "key" ? "the key" : "the app"} {credential.label || credential.id}.
      {gateway.authorizationServer === null ? "" : " Sign in with OAuth to see the whole account."}
    </>
  )
}
