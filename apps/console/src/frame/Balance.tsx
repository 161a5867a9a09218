import type { Profile } from "@tollgate/contract/account/Profile"
import { leftUsd, usd } from "../ui/amounts.ts"

/** What the credential can still spend. */
export const Balance = ({ profile }: { readonly profile: Profile | undefined }) => {
  if (profile === undefined) return <span className="pill" aria-hidden="true" />
  return (
    <span className="pill" title={`${usd(profile.spendable_micros_usd)} can be spent`}>
      <span className="quiet">Can be spent: </span>
      {leftUsd(profile.spendable_micros_usd)}
    </span>
  )
}
