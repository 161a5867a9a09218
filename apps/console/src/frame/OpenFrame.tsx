import { Outlet } from "@tanstack/react-router"
import { ThemeChoice } from "./ThemeChoice.tsx"

/** Around the page for those who are not signed in. */
export const OpenFrame = () => (
  <>
    <div className="open-theme">
      <ThemeChoice />
    </div>
    <main id="main" className="open" tabIndex={-1}>
      <Outlet />
    </main>
  </>
)
