import { createRootRoute, createRoute, createRouter, lazyRouteComponent } from "@tanstack/react-router"
import { Frame } from "./frame/Frame.tsx"
import { MissingPage } from "./frame/MissingPage.tsx"
import { PageFailed } from "./frame/PageFailed.tsx"
import { PagePending } from "./frame/PagePending.tsx"
import { gateway } from "./session/gateway.ts"

const root = createRootRoute({ component: Frame, notFoundComponent: MissingPage })

const text = (value: unknown): string | undefined => (typeof value === "string" && value !== "" ? value : undefined)

/** Keeps the named parameters of an address if they are texts. */
const texts =
  <const Name extends string>(...names: ReadonlyArray<Name>) =>
  (search: Record<string, unknown>): { readonly [N in Name]?: string } => {
    const kept: { [N in Name]?: string } = {}
    for (const name of names) {
      const value = text(search[name])
      if (value !== undefined) kept[name] = value
    }
    return kept
  }

const operator = createRoute({
  getParentRoute: () => root,
  path: "/operator",
  component: lazyRouteComponent(() => import("./pages/operator/OperatorFrame.tsx"), "OperatorFrame")
})

// Each page is a file of its own, loaded when it is opened. The gateway serves the first segments of these paths:
// `consolePages.ts` of the gateway lists them.
const routes = [
  createRoute({
    getParentRoute: () => root,
    path: "/",
    validateSearch: texts("window", "width", "by", "show", "tag"),
    component: lazyRouteComponent(() => import("./pages/overview/OverviewPage.tsx"), "OverviewPage")
  }),
  createRoute({
    getParentRoute: () => root,
    path: "/sign-in",
    validateSearch: texts("to"),
    component: lazyRouteComponent(() => import("./pages/signIn/SignInPage.tsx"), "SignInPage")
  }),
  createRoute({
    getParentRoute: () => root,
    path: "/playground",
    component: lazyRouteComponent(() => import("./pages/playground/PlaygroundPage.tsx"), "PlaygroundPage")
  }),
  createRoute({
    getParentRoute: () => root,
    path: "/playground/$operation",
    component: lazyRouteComponent(() => import("./pages/playground/PlaygroundPage.tsx"), "PlaygroundPage")
  }),
  createRoute({
    getParentRoute: () => root,
    path: "/calls",
    validateSearch: texts("key", "operation", "model", "state", "cost_state", "status", "tag"),
    component: lazyRouteComponent(() => import("./pages/calls/CallsPage.tsx"), "CallsPage")
  }),
  createRoute({
    getParentRoute: () => root,
    path: "/calls/$call",
    component: lazyRouteComponent(() => import("./pages/calls/CallPage.tsx"), "CallPage")
  }),
  createRoute({
    getParentRoute: () => root,
    path: "/tasks",
    validateSearch: texts("task"),
    component: lazyRouteComponent(() => import("./pages/tasks/TasksPage.tsx"), "TasksPage")
  }),
  createRoute({
    getParentRoute: () => root,
    path: "/limits",
    component: lazyRouteComponent(() => import("./pages/limits/LimitsPage.tsx"), "LimitsPage")
  }),
  createRoute({
    getParentRoute: () => root,
    path: "/links",
    component: lazyRouteComponent(() => import("./pages/links/LinksPage.tsx"), "LinksPage")
  }),
  createRoute({
    getParentRoute: () => root,
    path: "/grants",
    component: lazyRouteComponent(() => import("./pages/grants/GrantsPage.tsx"), "GrantsPage")
  }),
  createRoute({
    getParentRoute: () => root,
    path: "/tools",
    component: lazyRouteComponent(() => import("./pages/tools/ToolsPage.tsx"), "ToolsPage")
  }),
  operator.addChildren([
    createRoute({
      getParentRoute: () => operator,
      path: "/",
      validateSearch: texts("q", "sort"),
      component: lazyRouteComponent(() => import("./pages/operator/accounts/AccountsPage.tsx"), "AccountsPage")
    }),
    createRoute({
      getParentRoute: () => operator,
      path: "/accounts/$account",
      component: lazyRouteComponent(() => import("./pages/operator/account/AccountPage.tsx"), "AccountPage")
    }),
    createRoute({
      getParentRoute: () => operator,
      path: "/prices",
      component: lazyRouteComponent(() => import("./pages/operator/prices/PricesPage.tsx"), "PricesPage")
    }),
    createRoute({
      getParentRoute: () => operator,
      path: "/upstreams",
      component: lazyRouteComponent(() => import("./pages/operator/upstreams/UpstreamsPage.tsx"), "UpstreamsPage")
    }),
    createRoute({
      getParentRoute: () => operator,
      path: "/audit",
      component: lazyRouteComponent(() => import("./pages/operator/audit/AuditPage.tsx"), "AuditPage")
    }),
    createRoute({
      getParentRoute: () => operator,
      path: "/configuration",
      component: lazyRouteComponent(
        () => import("./pages/operator/configuration/ConfigurationPage.tsx"),
        "ConfigurationPage"
      )
    })
  ])
] as const

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
