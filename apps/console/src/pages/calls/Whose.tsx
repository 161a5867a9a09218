import { gateway } from "../../session/gateway.ts"
import { useProfile } from "../../session/useProfile.ts"

/** Whose calls are shown. Other keys and apps spend the same balance. */
export const Whose = () => {
  const { value } = useProfile()
  if (value === undefined) return <>&nbsp;</>
  const { account, credential } = value
  return credential.scope === "account" ? (
    <>Calls of the whole account {account.label === "" ? account.id : account.label}.</>
  ) : (
    <>
      Only calls of {credential.kind === "key" ? "the key" : "the app"}{" "}
      {credential.label === "" ? credential.id : credential.label}. Other keys and apps spend the same balance
      {gateway.authorizationServer === null ? "." : "; sign in with OAuth to see theirs."}
    </>
  )
}
