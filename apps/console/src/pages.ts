import { createRootRoute, createRoute, lazyRouteComponent, redirect, type RouteComponent } from "@tanstack/react-router"
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

const callFilters = [
  "key",
  "operation",
  "model",
  "state",
  "cost_state",
  "status",
  "failed",
  "tag",
  "from",
  "to",
  "q",
  "before"
] as const

const operator = createRoute({
  getParentRoute: () => root,
  path: "/operator",
  component: page(() => import("./pages/operator/OperatorFrame.tsx"), "OperatorFrame")
})

type Load<Name extends string> = () => Promise<Readonly<Record<NoInfer<Name>, RouteComponent>>>

/** A page in the menu, whose address has no parameters. */
const inMenu = <const Path extends string, Name extends string>(
  path: Path,
  icon: IconName,
  label: string,
  load: Load<Name>,
  name: Name
) =>
  createRoute({
    getParentRoute: () => root,
    path,
    staticData: { menu: { icon, label } },
    component: page(load, name)
  })

/** A page of the operator. */
const inTabs = <const Path extends string, Name extends string>(
  path: Path,
  tab: string,
  load: Load<Name>,
  name: Name
) => createRoute({ getParentRoute: () => operator, path, staticData: { tab }, component: page(load, name) })

/** Where a page of the operator was before. */
const moved = <const Path extends string>(path: Path, to: string) =>
  createRoute({
    getParentRoute: () => operator,
    path,
    beforeLoad: () => {
      throw redirect({ to, replace: true })
    }
  })

/** One page for all operations, so that the list stays while another is chosen. */
const playground = inMenu(
  "/playground",
  "playground",
  "Playground",
  () => import("./pages/playground/PlaygroundPage.tsx"),
  "PlaygroundPage"
)

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
  inMenu("/models", "models", "Models", () => import("./pages/models/ModelsPage.tsx"), "ModelsPage"),
  createRoute({
    getParentRoute: () => root,
    path: "/calls",
    staticData: { menu: { icon: "calls", label: "Calls" } },
    validateSearch: texts(...callFilters),
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
  inMenu("/keys", "key", "Keys", () => import("./pages/keys/KeysPage.tsx"), "KeysPage"),
  createRoute({
    getParentRoute: () => root,
    path: "/billing",
    staticData: { menu: { icon: "billing", label: "Billing" } },
    validateSearch: texts("before", "payment"),
    component: page(() => import("./pages/billing/BillingPage.tsx"), "BillingPage")
  }),
  createRoute({
    getParentRoute: () => root,
    path: "/billing/$month",
    component: page(() => import("./pages/billing/StatementPage.tsx"), "StatementPage")
  }),
  inMenu("/limits", "limits", "Limits", () => import("./pages/limits/LimitsPage.tsx"), "LimitsPage"),
  inMenu("/links", "links", "Connections", () => import("./pages/links/LinksPage.tsx"), "LinksPage"),
  inMenu("/grants", "grants", "Apps", () => import("./pages/grants/GrantsPage.tsx"), "GrantsPage"),
  inMenu("/tools", "tools", "Agents", () => import("./pages/tools/ToolsPage.tsx"), "ToolsPage"),
  operator.addChildren([
    inTabs("/", "Home", () => import("./pages/operator/home/HomePage.tsx"), "HomePage"),
    createRoute({
      getParentRoute: () => operator,
      path: "/accounts",
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
      path: "/calls",
      staticData: { tab: "Calls" },
      validateSearch: texts("account", ...callFilters),
      component: page(() => import("./pages/operator/calls/AllCallsPage.tsx"), "AllCallsPage")
    }),
    createRoute({
      getParentRoute: () => operator,
      path: "/calls/$account/$call",
      component: page(() => import("./pages/operator/calls/OperatorCallPage.tsx"), "OperatorCallPage")
    }),
    createRoute({
      getParentRoute: () => operator,
      path: "/search",
      validateSearch: texts("q"),
      component: page(() => import("./pages/operator/search/SearchPage.tsx"), "SearchPage")
    }),
    createRoute({
      getParentRoute: () => operator,
      path: "/billing",
      staticData: { tab: "Billing" },
      validateSearch: texts("window"),
      component: page(() => import("./pages/operator/billing/OperatorBillingPage.tsx"), "OperatorBillingPage")
    }),
    inTabs("/prices", "Models and prices", () => import("./pages/operator/prices/PricesPage.tsx"), "PricesPage"),
    inTabs("/upstreams", "Upstreams", () => import("./pages/operator/upstreams/UpstreamsPage.tsx"), "UpstreamsPage"),
    inTabs("/operations", "Operations", () => import("./pages/operator/imports/ImportPage.tsx"), "ImportPage"),
    createRoute({
      getParentRoute: () => operator,
      path: "/team",
      staticData: { tab: "Team" },
      validateSearch: texts("of"),
      component: page(() => import("./pages/operator/team/TeamPage.tsx"), "TeamPage")
    }),
    inTabs("/health", "Health", () => import("./pages/operator/health/HealthPage.tsx"), "HealthPage"),
    createRoute({
      getParentRoute: () => operator,
      path: "/configuration",
      component: page(() => import("./pages/operator/configuration/ConfigurationPage.tsx"), "ConfigurationPage")
    }),
    moved("/margin", "/operator/billing"),
    moved("/import", "/operator/operations"),
    moved("/audit", "/operator/health")
  ])
] as const
