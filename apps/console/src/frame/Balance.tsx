import { useProfile } from "../session/useProfile.ts"
import { shortUsd, usd } from "../ui/amounts.ts"

/** What the credential can still spend. */
export const Balance = () => {
  const { value } = useProfile()
  if (value === undefined) return <span className="pill" aria-hidden="true" />
  return (
    <span className="pill" title={`${usd(value.spendable_micros_usd)} can be spent`}>
      <span className="quiet">Can be spent: </span>
      {shortUsd(value.spendable_micros_usd)}
    </span>
  )
}
