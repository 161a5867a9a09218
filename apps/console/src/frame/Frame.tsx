import { Link, Navigate, Outlet, useLocation } from "@tanstack/react-router"
import { useSessions } from "../session/SessionProvider.tsx"
import { Button } from "../ui/Button.tsx"
import { Balance } from "./Balance.tsx"
import { Icon, Mark } from "./Icon.tsx"
import { Navigation } from "./Navigation.tsx"
import { ThemeChoice } from "./ThemeChoice.tsx"

const closeMenu = (): void => {
  const menu = document.getElementById("menu")
  if (menu?.matches(":popover-open") === true) menu.hidePopover()
}

/** Pages that need no credential of an account. */
const isOpen = (path: string): boolean => path === "/sign-in" || path === "/operator" || path.startsWith("/operator/")

/** What is around every page. */
export const Frame = () => {
  const { session, signOut } = useSessions()
  const { pathname } = useLocation()
  if (session === undefined && !isOpen(pathname)) return <Navigate to="/sign-in" search={{ to: pathname }} replace />
  return (
    <>
      <a className="skip" href="#main">
        Go to the content
      </a>
      <header className="top">
        <button type="button" className="open-menu" popoverTarget="menu" aria-label="Menu">
          <Icon name="menu" />
        </button>
        <Link className="brand" to="/">
          <Mark />
          <span>Console</span>
        </Link>
        <div className="top-end">
          {session === undefined ? null : <Balance />}
          <ThemeChoice />
          {session === undefined ? null : (
            <Button kind="quiet" onClick={signOut}>
              Sign out
            </Button>
          )}
        </div>
      </header>
      <div className="sheet">
        <Navigation onChoose={closeMenu} />
        <main id="main" tabIndex={-1}>
          <Outlet />
        </main>
      </div>
    </>
  )
}
