import { Navigate, useLocation, useMatches } from "@tanstack/react-router"
import { useSessions } from "../session/SessionProvider.tsx"
import { OpenFrame } from "./OpenFrame.tsx"
import { SignedInFrame } from "./SignedInFrame.tsx"
import { useFocusOnPage } from "./useFocusOnPage.ts"

/** Pages that need no credential of an account. */
const isOpen = (path: string): boolean => path === "/sign-in" || path === "/operator" || path.startsWith("/operator/")

/** What is around every page. */
export const Frame = () => {
  const { session } = useSessions()
  const { href, pathname } = useLocation()
  // The location is ahead of the page in view while the next page loads.
  const shown = useMatches({ select: (matches) => matches.at(-1)?.pathname ?? pathname })
  useFocusOnPage()
  if (session === undefined && !isOpen(shown)) {
    return isOpen(pathname) ? null : <Navigate to="/sign-in" search={{ to: href }} replace />
  }
  return shown === "/sign-in" ? <OpenFrame /> : <SignedInFrame />
}
