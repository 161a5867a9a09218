import { Link, Outlet } from "@tanstack/react-router"
import { gateway } from "../session/gateway.ts"
import { useSessions } from "../session/SessionProvider.tsx"
import { Icon, Mark } from "./Icon.tsx"
import { Navigation } from "./Navigation.tsx"
import { SignedInEnd } from "./SignedInEnd.tsx"
import { ThemeChoice } from "./ThemeChoice.tsx"

const closeMenu = (): void => {
  const menu = document.getElementById("menu")
  if (menu?.matches(":popover-open") === true) menu.hidePopover()
}

/** The operator's pages show it too, with nobody signed in. */
export const SignedInFrame = () => {
  const { session } = useSessions()
  return (
    <>
      <a className="skip" href="#main">
        Go to the content
      </a>
      <header className="top">
        <button type="button" className="round open-menu" popoverTarget="menu" aria-label="Menu">
          <Icon name="menu" />
        </button>
        <Link className="brand" to="/">
          <Mark />
          <span>{gateway.name}</span>
        </Link>
        <div className="top-end">
          {session === undefined ? (
            <>
              <ThemeChoice />
              <Link className="button" to="/sign-in" search={{}}>
                Sign in
              </Link>
            </>
          ) : (
            <SignedInEnd />
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
