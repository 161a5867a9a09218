import { useProfile } from "../../session/useProfile.ts"

/** Whose calls the figures are of. Other keys and programs spend the same balance. */
export const Whose = () => {
  const { value } = useProfile()
  if (value === undefined) return <>&nbsp;</>
  const { account, credential } = value
  return credential.scope === "account" ? (
    <>Calls of the whole account {account.label === "" ? account.id : account.label}.</>
  ) : (
    <>
      Calls of {credential.kind === "key" ? "the key" : "the program"}{" "}
      {credential.label === "" ? credential.id : credential.label}. Other keys and programs of the account spend its
      balance too.
    </>
  )
}
