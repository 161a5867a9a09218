import { Navigate, Outlet, useLocation, useMatches, useRouter } from "@tanstack/react-router"
import { useEffect } from "react"
import { TollgateProvider } from "@tollgate/react/effect"
import { account, signedOut } from "../session/sessions.ts"
import { isOperatorPath, SignedInFrame } from "./SignedInFrame.tsx"
import { KeyWay, SignInAgain } from "../ui/SignInAgain.tsx"
import { ThemeChoice } from "./ThemeChoice.tsx"

/**
 * Another page gets the focus at its heading, so that a screen reader says it and Tab goes on from there. A page that put the
 * focus somewhere itself keeps it there.
 */
const useFocusOnPage = (): void => {
  const router = useRouter()
  useEffect(
    () =>
      router.subscribe("onRendered", ({ fromLocation, pathChanged }) => {
        const main = document.getElementById("main")
        if (fromLocation === undefined || !pathChanged || main === null) return
        const { activeElement } = document
        if (activeElement !== main && main.contains(activeElement)) return
        const heading = main.querySelector("h1") ?? main
        heading.tabIndex = -1
        heading.focus({ preventScroll: true })
      }),
    [router]
  )
}

/** Around the page for those who are not signed in. */
const OpenFrame = () => (
  <>
    <div className="open-theme">
      <ThemeChoice />
    </div>
    <main id="main" className="open" tabIndex={-1}>
      <Outlet />
    </main>
  </>
)

/** Pages that need no credential of an account. */
const isOpen = (path: string): boolean => path === "/sign-in" || isOperatorPath(path)

export const Frame = () => {
  const { over, session } = account.use()
  const { href, pathname } = useLocation()
  // The location is ahead of the page in view while the next page loads.
  const shown = useMatches({ select: (matches) => matches.at(-1)?.pathname ?? pathname })
  useFocusOnPage()
  if (session === undefined && !isOpen(shown)) {
    return isOpen(pathname) ? null : <Navigate to="/sign-in" search={{ to: href }} replace />
  }
  // One tree for all: another for who is signed out would mount every page again at each sign-in.
  return (
    <TollgateProvider client={session?.api ?? signedOut}>
      {shown === "/sign-in" ? <OpenFrame /> : <SignedInFrame />}
      {over === undefined || isOpen(shown) ? null : (
        <SignInAgain why={over} signOut={account.signOut}>
          <KeyWay isMain />
        </SignInAgain>
      )}
    </TollgateProvider>
  )
}
