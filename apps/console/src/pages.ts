import { createRootRoute, createRoute, lazyRouteComponent } from "@tanstack/react-router"
import type { IconName } from "./ui/Icon.tsx"

declare module "@tanstack/react-router" {
  interface StaticDataRouteOption {
    /** The page is in the navigation, in the order of the list. */
    readonly menu?: { readonly icon: IconName; readonly label: string }
    /** The page is among the tabs of the operator, in the order of the list. */
    readonly tab?: string
  }
}

export const root = createRootRoute()

/** The gateway answers. A proxy answers for one that is down. */
export const isReached = (): Promise<boolean> =>
  fetch(location.href, { method: "HEAD", cache: "no-store" }).then(
    ({ status }) => status < 500,
    () => false
  )

/** The code of a page could not be loaded, because nothing answers. */
export class NotReached extends Error {}

/** A page is a file of its own, loaded when it is opened. If the console has another version by now, the router loads it anew. */
const page: typeof lazyRouteComponent = (load, name) =>
  lazyRouteComponent(async () => {
    try {
      return await load()
    } catch (error) {
      throw (await isReached()) ? error : new NotReached()
    }
  }, name)

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
  component: page(() => import("./pages/operator/OperatorFrame.tsx"), "OperatorFrame")
})

/** One page for all operations, so that the list stays while another is chosen. */
const playground = createRoute({
  getParentRoute: () => root,
  path: "/playground",
  staticData: { menu: { icon: "playground", label: "Playground" } },
  component: page(() => import("./pages/playground/PlaygroundPage.tsx"), "PlaygroundPage")
})

/** Every page. */
export const routes = [
  createRoute({
    getParentRoute: () => root,
    path: "/",
    staticData: { menu: { icon: "overview", label: "Overview" } },
    validateSearch: texts("window", "width", "by", "show", "tag"),
    component: page(() => import("./pages/overview/OverviewPage.tsx"), "OverviewPage")
  }),
  createRoute({
    getParentRoute: () => root,
    path: "/sign-in",
    validateSearch: texts("to"),
    component: page(() => import("./pages/signIn/SignInPage.tsx"), "SignInPage")
  }),
  playground.addChildren([createRoute({ getParentRoute: () => playground, path: "/$operation" })]),
  createRoute({
    getParentRoute: () => root,
    path: "/calls",
    staticData: { menu: { icon: "calls", label: "Calls" } },
    validateSearch: texts(
      "key",
      "operation",
      "model",
      "state",
      "cost_state",
      "status",
      "tag",
      "from",
      "to",
      "q",
      "before"
    ),
    component: page(() => import("./pages/calls/CallsPage.tsx"), "CallsPage")
  }),
  createRoute({
    getParentRoute: () => root,
    path: "/calls/$call",
    component: page(() => import("./pages/calls/CallPage.tsx"), "CallPage")
  }),
  createRoute({
    getParentRoute: () => root,
    path: "/tasks",
    staticData: { menu: { icon: "tasks", label: "Tasks" } },
    validateSearch: texts("task"),
    component: page(() => import("./pages/tasks/TasksPage.tsx"), "TasksPage")
  }),
  createRoute({
    getParentRoute: () => root,
    path: "/limits",
    staticData: { menu: { icon: "limits", label: "Limits" } },
    component: page(() => import("./pages/limits/LimitsPage.tsx"), "LimitsPage")
  }),
  createRoute({
    getParentRoute: () => root,
    path: "/links",
    staticData: { menu: { icon: "links", label: "Links" } },
    component: page(() => import("./pages/links/LinksPage.tsx"), "LinksPage")
  }),
  createRoute({
    getParentRoute: () => root,
    path: "/grants",
    staticData: { menu: { icon: "grants", label: "Apps" } },
    component: page(() => import("./pages/grants/GrantsPage.tsx"), "GrantsPage")
  }),
  createRoute({
    getParentRoute: () => root,
    path: "/tools",
    staticData: { menu: { icon: "tools", label: "Tools" } },
    component: page(() => import("./pages/tools/ToolsPage.tsx"), "ToolsPage")
  }),
  operator.addChildren([
    createRoute({
      getParentRoute: () => operator,
      path: "/",
      staticData: { tab: "Accounts" },
      validateSearch: texts("q", "sort"),
      component: page(() => import("./pages/operator/accounts/AccountsPage.tsx"), "AccountsPage")
    }),
    createRoute({
      getParentRoute: () => operator,
      path: "/accounts/$account",
      component: page(() => import("./pages/operator/account/AccountPage.tsx"), "AccountPage")
    }),
    createRoute({
      getParentRoute: () => operator,
      path: "/margin",
      staticData: { tab: "Margin" },
      component: page(() => import("./pages/operator/margin/MarginPage.tsx"), "MarginPage")
    }),
    createRoute({
      getParentRoute: () => operator,
      path: "/prices",
      staticData: { tab: "Prices" },
      component: page(() => import("./pages/operator/prices/PricesPage.tsx"), "PricesPage")
    }),
    createRoute({
      getParentRoute: () => operator,
      path: "/upstreams",
      staticData: { tab: "Upstreams" },
      component: page(() => import("./pages/operator/upstreams/UpstreamsPage.tsx"), "UpstreamsPage")
    }),
    createRoute({
      getParentRoute: () => operator,
      path: "/import",
      staticData: { tab: "Import" },
      component: page(() => import("./pages/operator/imports/ImportPage.tsx"), "ImportPage")
    }),
    createRoute({
      getParentRoute: () => operator,
      path: "/audit",
      staticData: { tab: "Audit" },
      component: page(() => import("./pages/operator/audit/AuditPage.tsx"), "AuditPage")
    }),
    createRoute({
      getParentRoute: () => operator,
      path: "/configuration",
      staticData: { tab: "Configuration" },
      component: page(() => import("./pages/operator/configuration/ConfigurationPage.tsx"), "ConfigurationPage")
    })
  ])
] as const
