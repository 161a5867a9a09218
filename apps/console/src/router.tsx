import { createRouter, type ErrorComponentProps, Link } from "@tanstack/react-router"
import { useEffect } from "react"
import { Frame } from "./frame/Frame.tsx"
import { isReached, NotReached, root, routes } from "./pages.ts"
import { gateway } from "./session/gateway.ts"
import { Notice, Page, Skeleton, Unreachable } from "./ui/kit.tsx"

const MissingPage = () => (
  <Page title="Page not found" lead="The address may be wrong, or from another version of the console.">
    <Link className="button" to="/">
      Go to the overview
    </Link>
  </Page>
)

/** Loads the whole page once the gateway is back. */
const PageNotReached = () => {
  useEffect(() => {
    const timer = setInterval(() => void isReached().then((isBack) => isBack && location.reload()), 1_000)
    return () => clearInterval(timer)
  }, [])
  return (
    <Page title="This page is not loaded yet">
      <Unreachable />
    </Page>
  )
}

/** The page's own code failed, or could not be loaded. */
const PageFailed = ({ error }: ErrorComponentProps) =>
  error instanceof NotReached ? (
    <PageNotReached />
  ) : (
    <Notice kind="bad" title="This page could not be shown">
      <p>{error instanceof Error ? error.message : String(error)}</p>
      <p>
        <button type="button" className="button" onClick={() => location.reload()}>
          Reload
        </button>
      </p>
    </Notice>
  )

const PagePending = () => (
  <div aria-busy="true">
    <Skeleton lines={1} tall />
    <Skeleton lines={6} />
  </div>
)

root.update({ component: Frame, notFoundComponent: MissingPage })

export const router = createRouter({
  ...(gateway.prefix === "" ? {} : { basepath: gateway.prefix }),
  routeTree: root.addChildren(routes),
  defaultPreload: "intent",
  scrollRestoration: true,
  defaultPendingComponent: PagePending,
  defaultErrorComponent: PageFailed
})

declare module "@tanstack/react-router" {
  interface Register {
    readonly router: typeof router
  }
}
