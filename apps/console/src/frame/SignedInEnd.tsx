import { useProfile } from "../session/useProfile.ts"
import { AccountMenu } from "./AccountMenu.tsx"
import { Balance } from "./Balance.tsx"
import { ThemeChoice } from "./ThemeChoice.tsx"

/** The end of the bar at the top, for whoever is signed in. */
export const SignedInEnd = () => {
  const { value } = useProfile()
  return (
    <>
      <Balance profile={value} />
      <ThemeChoice />
      <AccountMenu profile={value} />
    </>
  )
}
